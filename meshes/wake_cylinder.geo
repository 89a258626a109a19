// Cylinder of diameter 1 at the origin in a free stream, triangles; xi, xo, yf: how far inlet, outlet and sides are.
// hc, hn, hw, hf: sizes at the cylinder, beside and behind it (where a change of the flow moves its modes the most), in the wake, far.
DefineConstant[ hc = 0.04, hn = 0.09, hw = 0.2, hf = 4, xi = 40, xo = 60, yf = 40 ];
Point(1) = {-xi, -yf, 0}; Point(2) = {xo, -yf, 0}; Point(3) = {xo, yf, 0}; Point(4) = {-xi, yf, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Point(5) = {0, 0, 0}; Point(6) = {0.5, 0, 0}; Point(7) = {0, 0.5, 0}; Point(8) = {-0.5, 0, 0}; Point(9) = {0, -0.5, 0};
Circle(5) = {6, 5, 7}; Circle(6) = {7, 5, 8}; Circle(7) = {8, 5, 9}; Circle(8) = {9, 5, 6};
Curve Loop(1) = {1, 2, 3, 4}; Curve Loop(2) = {5, 6, 7, 8};
Plane Surface(1) = {1, 2};
Field[1] = Distance; Field[1].CurvesList = {5, 6, 7, 8}; Field[1].NumPointsPerCurve = 400;
Field[2] = MathEval; Field[2].F = Sprintf("%g + 0.1*F1", hc);
Field[3] = Box; Field[3].VIn = hn; Field[3].VOut = hf; Field[3].Thickness = 15;
Field[3].XMin = -1; Field[3].XMax = 4; Field[3].YMin = -1.5; Field[3].YMax = 1.5;
Field[4] = Box; Field[4].VIn = hw; Field[4].VOut = hf; Field[4].Thickness = 15;
Field[4].XMin = -1; Field[4].XMax = 15; Field[4].YMin = -2; Field[4].YMax = 2;
Field[5] = Box; Field[5].VIn = 2.5*hw; Field[5].VOut = hf; Field[5].Thickness = 15;
Field[5].XMin = -1; Field[5].XMax = xo; Field[5].YMin = -3; Field[5].YMax = 3;
Field[6] = Min; Field[6].FieldsList = {2, 3, 4, 5};
Background Field = 6;
Mesh.MeshSizeExtendFromBoundary = 0; Mesh.MeshSizeFromPoints = 0; Mesh.MeshSizeFromCurvature = 0; Mesh.Algorithm = 6;
Physical Surface("fluid") = {1};
Physical Curve("sides") = {1, 3}; Physical Curve("outlet") = {2}; Physical Curve("inlet") = {4}; Physical Curve("cylinder") = {5, 6, 7, 8};

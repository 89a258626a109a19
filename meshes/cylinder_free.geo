// Upper half of a cylinder of diameter 1 at the origin in a free stream: x from -25 to 40, y to 30; graded triangles.
// gmsh -2 cylinder_free.geo -format msh22 -o cylinder_free.msh
// hc, hw, hf: size at the cylinder, in the wake, far.
DefineConstant[ hc = 0.018, hw = 0.07, hf = 2.5 ];
Point(1) = {-25, 0, 0}; Point(2) = {-0.5, 0, 0}; Point(3) = {0, 0.5, 0}; Point(4) = {0.5, 0, 0}; Point(5) = {40, 0, 0}; Point(6) = {40, 30, 0};
Point(7) = {-25, 30, 0}; Point(8) = {0, 0, 0};
Line(1) = {1, 2}; Circle(2) = {2, 8, 3}; Circle(3) = {3, 8, 4}; Line(4) = {4, 5}; Line(5) = {5, 6}; Line(6) = {6, 7}; Line(7) = {7, 1};
Curve Loop(1) = {1, 2, 3, 4, 5, 6, 7};
Plane Surface(1) = {1};
Field[1] = Distance; Field[1].CurvesList = {2, 3}; Field[1].NumPointsPerCurve = 200;
Field[2] = Threshold; Field[2].InField = 1; Field[2].SizeMin = hc; Field[2].SizeMax = hf; Field[2].DistMin = 0.05; Field[2].DistMax = 18;
Field[3] = Box; Field[3].VIn = hw; Field[3].VOut = hf; Field[3].XMin = 0; Field[3].XMax = 3.5; Field[3].YMin = -1; Field[3].YMax = 0.9;
Field[3].ZMin = -1; Field[3].ZMax = 1; Field[3].Thickness = 18;
Field[4] = Min; Field[4].FieldsList = {2, 3};
Background Field = 4;
Mesh.MeshSizeExtendFromBoundary = 0; Mesh.MeshSizeFromPoints = 0; Mesh.MeshSizeFromCurvature = 0;
Physical Surface("fluid") = {1};
Physical Curve("axis") = {1, 4}; Physical Curve("cylinder") = {2, 3}; Physical Curve("outlet") = {5}; Physical Curve("far") = {6}; Physical Curve("inlet") = {7};

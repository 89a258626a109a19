// DFG 2D-1/2D-2/2D-3 (Schaefer and Turek, 1996): channel 2.2 x 0.41, cylinder of diameter 0.1 at (0.2, 0.2); graded triangles.
// gmsh -2 dfg_cylinder.geo -format msh22 -o dfg.msh
// hc, hw, hf: size at the cylinder (to the distance near), in the wake, far.  12k nodes: the defaults.  21k: -setnumber hc 0.0019 -setnumber hw 0.0064 -setnumber hf 0.0115
DefineConstant[ hc = 0.002964, hw = 0.00855, hf = 0.01425, near = 0.006 ];
Point(1) = {0, 0, 0}; Point(2) = {2.2, 0, 0}; Point(3) = {2.2, 0.41, 0}; Point(4) = {0, 0.41, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Point(5) = {0.2, 0.2, 0}; Point(6) = {0.25, 0.2, 0}; Point(7) = {0.2, 0.25, 0}; Point(8) = {0.15, 0.2, 0}; Point(9) = {0.2, 0.15, 0};
Circle(5) = {6, 5, 7}; Circle(6) = {7, 5, 8}; Circle(7) = {8, 5, 9}; Circle(8) = {9, 5, 6};
Curve Loop(1) = {1, 2, 3, 4}; Curve Loop(2) = {5, 6, 7, 8};
Plane Surface(1) = {1, 2};
Field[1] = Distance; Field[1].CurvesList = {5, 6, 7, 8};
Field[2] = Threshold; Field[2].InField = 1; Field[2].SizeMin = hc; Field[2].SizeMax = hf; Field[2].DistMin = near; Field[2].DistMax = 0.25;
Field[3] = Box; Field[3].VIn = hw; Field[3].VOut = hf; Field[3].XMin = 0.2; Field[3].XMax = 1.2; Field[3].YMin = 0.08; Field[3].YMax = 0.33;
Field[3].ZMin = -1; Field[3].ZMax = 1; Field[3].Thickness = 0.1;
Field[4] = Min; Field[4].FieldsList = {2, 3};
Background Field = 4;
Mesh.MeshSizeExtendFromBoundary = 0; Mesh.MeshSizeFromPoints = 0; Mesh.MeshSizeFromCurvature = 0;
Physical Surface("fluid") = {1};
Physical Curve("walls") = {1, 3}; Physical Curve("outlet") = {2}; Physical Curve("inlet") = {4}; Physical Curve("cylinder") = {5, 6, 7, 8};

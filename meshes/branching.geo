// Channel of width 1 along x with a branch of width w that leaves its upper wall at 60 degrees; unstructured triangles, graded to the three corners.
// gmsh -2 branching.geo -format msh22 -o branching.msh
// l, r, b: lengths before the branch, behind it and of it; h: size in the channels, at the corners a third of it.
DefineConstant[ w = 0.7, l = 3, r = 4, b = 3, h = 0.12 ];
c = Cos(Pi/3); s = Sin(Pi/3); m = w/s;
Point(1) = {-l, 0, 0, h}; Point(2) = {m/2, 0, 0, 0.7*h}; Point(3) = {m + r, 0, 0, h}; Point(4) = {m + r, 1, 0, h};
Point(5) = {m, 1, 0, h/3}; Point(6) = {m + b*c, 1 + b*s, 0, 0.8*h}; Point(7) = {m + b*c - w*s, 1 + b*s + w*c, 0, 0.8*h};
Point(8) = {0, 1, 0, h/3}; Point(9) = {-l, 1, 0, h};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 5}; Line(5) = {5, 6}; Line(6) = {6, 7}; Line(7) = {7, 8};
Line(8) = {8, 9}; Line(9) = {9, 1};
Curve Loop(1) = {1 : 9}; Plane Surface(1) = {1};
Physical Surface("fluid") = {1};
Physical Curve("inlet") = {9}; Physical Curve("outlet") = {3}; Physical Curve("branch") = {6};
Physical Curve("wall") = {1, 2, 4, 5, 7, 8};

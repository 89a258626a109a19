// Planar contraction 4:1, upper half, graded quads: half height 4 before x = 0 and 1 behind it, re-entrant corner at (0, 1).
// gmsh -2 contraction.geo -format msh22 -o contraction.msh
// lu, ld: lengths before and behind; nu, nd, na, nb: cells along both, across below and above the corner's height; ru, rd, ra, rb: ratios of neighbours.
DefineConstant[ lu = 16, ld = 16, nu = 44, nd = 34, na = 16, nb = 28, ru = 1.09, rd = 1.12, ra = 1.08, rb = 1.06 ];
Point(1) = {-lu, 0, 0}; Point(2) = {0, 0, 0}; Point(3) = {ld, 0, 0}; Point(4) = {ld, 1, 0}; Point(5) = {0, 1, 0};
Point(6) = {0, 4, 0}; Point(7) = {-lu, 4, 0}; Point(8) = {-lu, 1, 0};
Line(1) = {2, 1}; Line(2) = {2, 3}; Line(3) = {4, 3}; Line(4) = {5, 4}; Line(5) = {5, 6}; Line(6) = {6, 7}; Line(7) = {8, 7}; Line(8) = {8, 1}; Line(9) = {5, 2};
Line(10) = {5, 8};
Transfinite Curve{1, 6, 10} = nu + 1 Using Progression ru;
Transfinite Curve{2, 4} = nd + 1 Using Progression rd;
Transfinite Curve{3, 8, 9} = na + 1 Using Progression ra;
Transfinite Curve{5, 7} = nb + 1 Using Progression rb;
Curve Loop(1) = {-1, -9, 10, 8}; Plane Surface(1) = {1};
Curve Loop(2) = {2, -3, -4, 9}; Plane Surface(2) = {2};
Curve Loop(3) = {5, 6, -7, -10}; Plane Surface(3) = {3};
Transfinite Surface{1, 2, 3}; Recombine Surface{1, 2, 3};
Physical Surface("fluid") = {1, 2, 3};
Physical Curve("inlet") = {7, 8}; Physical Curve("outlet") = {3}; Physical Curve("axis") = {1, 2};
Physical Curve("top") = {6}; Physical Curve("face") = {5}; Physical Curve("channel") = {4};

// Cross-slot, quads: channels of width 1 that meet in the square |x|, |y| < 1/2, arms to |x|, |y| = l + 1/2, cells that grow along them by r.
// gmsh -2 cross_slot.geo -format msh22 -o cross_slot.msh
DefineConstant[ l = 8, n = 17, m = 14, r = 1.2 ];
h = 0.5; e = l + h;
Point(1) = {-h, -h, 0}; Point(2) = {h, -h, 0}; Point(3) = {h, h, 0}; Point(4) = {-h, h, 0};
Point(5) = {-e, -h, 0}; Point(6) = {-e, h, 0}; Point(7) = {e, -h, 0}; Point(8) = {e, h, 0};
Point(9) = {-h, -e, 0}; Point(10) = {h, -e, 0}; Point(11) = {-h, e, 0}; Point(12) = {h, e, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Line(5) = {1, 5}; Line(6) = {4, 6}; Line(7) = {5, 6}; Line(8) = {2, 7}; Line(9) = {3, 8}; Line(10) = {7, 8};
Line(11) = {1, 9}; Line(12) = {2, 10}; Line(13) = {9, 10}; Line(14) = {4, 11}; Line(15) = {3, 12}; Line(16) = {11, 12};
Transfinite Curve{1, 2, 3, 4, 7, 10, 13, 16} = n + 1;
Transfinite Curve{5, 6, 8, 9, 11, 12, 14, 15} = m + 1 Using Progression r;
Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
Curve Loop(2) = {6, -7, -5, -4}; Plane Surface(2) = {2};
Curve Loop(3) = {8, 10, -9, -2}; Plane Surface(3) = {3};
Curve Loop(4) = {11, 13, -12, -1}; Plane Surface(4) = {4};
Curve Loop(5) = {15, -16, -14, -3}; Plane Surface(5) = {5};
Transfinite Surface{1, 2, 3, 4, 5}; Recombine Surface{1, 2, 3, 4, 5};
Physical Surface("fluid") = {1, 2, 3, 4, 5};
Physical Curve("left") = {7}; Physical Curve("right") = {10}; Physical Curve("bottom") = {13}; Physical Curve("top") = {16};
Physical Curve("wall") = {5, 6, 8, 9, 11, 12, 14, 15};

// Channel between walls at y = -1 and 1, a wave number k long, graded towards them: quads, nx by ny; bump: the smaller, the finer at the walls.
// Ends `left` and `right` are joined by -mesh_periodic left,right.
DefineConstant[ nx = 48, ny = 192, bump = 0.1, k = 1 ];
L = 2*Pi/k;
Point(1) = {0, -1, 0}; Point(2) = {L, -1, 0}; Point(3) = {L, 1, 0}; Point(4) = {0, 1, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {4, 3}; Line(4) = {1, 4};
Curve Loop(1) = {1, 2, -3, -4}; Plane Surface(1) = {1};
Transfinite Curve {1, 3} = nx + 1; Transfinite Curve {2, 4} = ny + 1 Using Bump bump;
Transfinite Surface {1}; Recombine Surface {1};
Physical Surface("fluid") = {1};
Physical Curve("bottom") = {1}; Physical Curve("top") = {3}; Physical Curve("left") = {4}; Physical Curve("right") = {2};

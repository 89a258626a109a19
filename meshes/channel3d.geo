// Channel [0, lx] x [-1/2, 1/2]^2; hexes (transfinite) or tets.
// gmsh -3 -setnumber nx 12 -setnumber ny 6 -setnumber nz 6 -setnumber hexes 1 channel3d.geo -o channel3d_hex.msh
DefineConstant[ nx = 12, ny = 6, nz = 6, lx = 2, hexes = 1 ];
Point(1) = {0, -0.5, -0.5};
Point(2) = {0, 0.5, -0.5};
Point(3) = {0, 0.5, 0.5};
Point(4) = {0, -0.5, 0.5};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve {1, 3} = ny + 1;
Transfinite Curve {2, 4} = nz + 1;
Transfinite Surface {1};
If (hexes)
  Recombine Surface {1};
  out[] = Extrude {lx, 0, 0} { Surface{1}; Layers{nx}; Recombine; };
Else
  out[] = Extrude {lx, 0, 0} { Surface{1}; Layers{nx}; };
EndIf
Physical Surface("inlet") = {1};
Physical Surface("outlet") = {out[0]};
Physical Surface("wall") = {out[2], out[3], out[4], out[5]};
Physical Volume("fluid") = {out[1]};

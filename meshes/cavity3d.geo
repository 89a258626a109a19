// Half of the unit cube, up to the plane of symmetry z = 1/2: n x n x n/2 hexes, graded towards the walls by a hyperbolic tangent:
// x_k = (1 + tanh(a (2 k/n - 1))/tanh(a))/2; with a = 1.5 the cells at the walls are .45 of their mean, those in the middle 1.65 of it.
// gmsh -3 -format msh22 -setnumber n 48 cavity3d.geo -o cavity3d.msh
DefineConstant[ n = 48, a = 1.5 ];
For k In {1 : n}
  one[] += {1};
  whole[] += {(1 + Tanh(a*(2*k/n - 1))/Tanh(a))/2};
EndFor
For k In {1 : n/2}
  half[] += {1};
  depth[] += {1 + Tanh(a*(2*k/n - 1))/Tanh(a)};
EndFor
Point(1) = {0, 0, 0};
line[] = Extrude {1, 0, 0} { Point{1}; Layers{one[], whole[]}; };
floor[] = Extrude {0, 1, 0} { Curve{line[1]}; Layers{one[], whole[]}; Recombine; };
box[] = Extrude {0, 0, 0.5} { Surface{floor[1]}; Layers{half[], depth[]}; Recombine; };
Physical Surface("back") = {floor[1]};
Physical Surface("front") = {box[0]};
Physical Surface("bottom") = {box[2]};
Physical Surface("right") = {box[3]};
Physical Surface("top") = {box[4]};
Physical Surface("left") = {box[5]};
Physical Volume("fluid") = {box[1]};

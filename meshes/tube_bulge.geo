// Tube of diameter 1 along x, 0 <= x <= 5, with a bulge of diameter 1.6 between x = 1.25 and 3.75; unstructured tets.
// gmsh -3 tube_bulge.geo -o tube_bulge.msh
SetFactory("OpenCASCADE");
DefineConstant[ h = 0.16, bulge = 0.3 ];
n = 20;
Point(1) = {0, 0, 0};
Point(2) = {5, 0, 0};
Point(3) = {5, 0.5, 0};
For i In {0 : n}
  x = 3.75 - 2.5*i/n;
  Point(5 + i) = {x, 0.5 + bulge/2*(1 - Cos(2*Pi*(x - 1.25)/2.5)), 0};
EndFor
Point(6 + n) = {0, 0.5, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 5};
Spline(4) = {5 : 5 + n};
Line(5) = {5 + n, 6 + n};
Line(6) = {6 + n, 1};
Curve Loop(1) = {1, 2, 3, 4, 5, 6};
Plane Surface(1) = {1};
out[] = Extrude {{1, 0, 0}, {0, 0, 0}, 2*Pi} { Surface{1}; };
Mesh.MeshSizeMin = h;
Mesh.MeshSizeMax = h;
e = 1e-3;
in[] = Surface In BoundingBox {-e, -1, -1, e, 1, 1};
end[] = Surface In BoundingBox {5 - e, -1, -1, 5 + e, 1, 1};
all[] = Boundary{ Volume{:}; };
all[] = Abs(all[]);
all[] -= {in[], end[]};
Physical Surface("inlet") = in[];
Physical Surface("outlet") = end[];
Physical Surface("wall") = all[];
Physical Volume("fluid") = Volume{:};

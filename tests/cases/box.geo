// Quarter of a square silo, 1 x 1 x 1.5, with an outlet of 0.4 x 0.4.
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 1, 1.5};
Rectangle(100) = {0, 0, 0, 0.4, 0.4};
BooleanFragments{ Volume{1}; Delete; }{ Surface{100}; Delete; }
Mesh.MeshSizeMax = 0.35;
e = 1e-3;
Physical Volume("body") = {1};
outlet() = Surface In BoundingBox {-e, -e, -e, 0.4 + e, 0.4 + e, e};
floor() = Surface In BoundingBox {-e, -e, -e, 1 + e, 1 + e, e};
floor() -= outlet();
Physical Surface("outlet") = {outlet()};
Physical Surface("floor") = {floor()};
Physical Surface("symx") = Surface In BoundingBox {-e, -e, -e, e, 1 + e, 1.5 + e};
Physical Surface("symy") = Surface In BoundingBox {-e, -e, -e, 1 + e, e, 1.5 + e};
Physical Surface("wallx") = Surface In BoundingBox {1 - e, -e, -e, 1 + e, 1 + e, 1.5 + e};
Physical Surface("wally") = Surface In BoundingBox {-e, 1 - e, -e, 1 + e, 1 + e, 1.5 + e};
Physical Surface("top") = Surface In BoundingBox {-e, -e, 1.5 - e, 1 + e, 1 + e, 1.5 + e};

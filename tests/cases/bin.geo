// A flat-bottomed bin of 4 x 3 x 3 with a round outlet at (x, 1.5), off its middle, by OpenCASCADE.
SetFactory("OpenCASCADE");
DefineConstant[ x = 1.2, D = 1, h = 0.8, across = 3 ];
Box(1) = {0, 0, 0, 4, 3, 3};
Disk(100) = {x, 1.5, 0, D / 2};
BooleanFragments{ Volume{1}; Delete; }{ Surface{100}; Delete; }
e = 1e-3;
outlet() = Surface In BoundingBox {x - D, 1.5 - D, -e, x + D, 1.5 + D, e};
bottom() = Surface In BoundingBox {-e, -e, -e, 4 + e, 3 + e, e};
bottom() -= outlet();
Physical Surface("outlet") = {outlet()};
Physical Surface("bottom") = {bottom()};
Physical Surface("left") = Surface In BoundingBox {-e, -e, -e, e, 3 + e, 3 + e};
Physical Surface("right") = Surface In BoundingBox {4 - e, -e, -e, 4 + e, 3 + e, 3 + e};
Physical Surface("front") = Surface In BoundingBox {-e, -e, -e, 4 + e, e, 3 + e};
Physical Surface("back") = Surface In BoundingBox {-e, 3 - e, -e, 4 + e, 3 + e, 3 + e};
Physical Surface("top") = Surface In BoundingBox {-e, -e, 3 - e, 4 + e, 3 + e, 3 + e};
Physical Volume("grains") = {1};
MeshSize{ PointsOf{ Volume{1}; } } = h;
MeshSize{ PointsOf{ Surface{outlet()}; } } = D / across;

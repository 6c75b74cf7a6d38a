// Ball by OpenCASCADE: a curved boundary.
SetFactory("OpenCASCADE");
DefineConstant[ h = 0.5 ];
Sphere(1) = {0, 0, 0, 1};
Mesh.MeshSizeMin = h;
Mesh.MeshSizeMax = h;
Physical Surface("wall") = {1};
Physical Volume("ball") = {1};

using System.Runtime.CompilerServices;

[assembly: DisableRuntimeMarshalling]

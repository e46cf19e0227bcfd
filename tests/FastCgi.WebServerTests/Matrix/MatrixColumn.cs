using FastCgi.WebServerKit.Samples;

namespace FastCgi.WebServerTests.Matrix;

/// <summary>A web server, and how it comes to the application.</summary>
internal sealed record MatrixColumn(string Name, MatrixReach Reach, WebServerSample Sample)
{
    public override string ToString() => Name;
}

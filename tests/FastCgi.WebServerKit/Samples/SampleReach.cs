using System.Net;

namespace FastCgi.WebServerKit.Samples;

/// <summary>How the web server comes to the application: one of the three.</summary>
/// <param name="Socket">The path of a unix socket to connect to.</param>
/// <param name="Tcp">An address to connect to.</param>
/// <param name="Program">A program that the web server starts.</param>
/// <param name="PathBase">A setting for the program to start: the path it is mounted under.</param>
internal sealed record SampleReach(
    string? Socket = null, IPEndPoint? Tcp = null, StartedProgram? Program = null, string? PathBase = null);

using System.Net;

namespace FastCgi.WebServerKit;

/// <summary>What differs between web servers in how they are started.</summary>
internal interface IWebServerProgram
{
    string Name { get; }

    /// <summary>A part of the line that it prints once every address is bound, and never when one is taken.</summary>
    string StartedMessage { get; }

    /// <summary>Variables that keep it from writing anywhere but into its directory.</summary>
    IReadOnlyDictionary<string, string>? Environment(WorkDirectory directory) => null;

    /// <summary>The arguments that keep it in the foreground, with its error log on standard error.</summary>
    IEnumerable<string> Arguments(WorkDirectory directory, string file);

    /// <summary>The main file: everything that a private instance needs around the site under test.</summary>
    string Configure(WorkDirectory directory, IPEndPoint endPoint, string site);
}

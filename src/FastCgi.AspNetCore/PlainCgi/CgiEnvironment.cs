using System.Collections;
using FastCgi.AspNetCore.Hosting;

namespace FastCgi.AspNetCore.PlainCgi;

/// <summary>The variables of the single request of a CGI program (RFC 3875, section 4.1).</summary>
internal sealed class CgiEnvironment
{
    private const string HeaderPrefix = "HTTP_";

    /// <summary>Variables of the process itself, which are not params of a request.</summary>
    private static readonly string[] s_others = ["ASPNETCORE_", "DOTNET_", "COMPlus_", "LD_", "FastCgi_", "LISTEN_"];

    private static readonly Lock s_lock = new();

    private CgiEnvironment(IEnumerable<(byte[] Name, byte[] Value)> variables) => Parameters = [.. variables];

    public (byte[] Name, byte[] Value)[] Parameters { get; }

    /// <summary>True if a web server started this process for one request: CGI variables and no listener.</summary>
    public static bool IsPresent(LaunchContext launch) =>
        !OperatingSystem.IsWindows()
        && launch.Variable("GATEWAY_INTERFACE")?.StartsWith("CGI/", StringComparison.Ordinal) == true
        && launch.Variable("REQUEST_METHOD") is { Length: > 0 }
        && launch.InheritedListeners().Length == 0;

    /// <summary>
    /// True if a word of the query string is among the program's arguments. Apache passes the words of a query without
    /// "=" (RFC 3875, section 4.4), so <c>?--environment+Development</c> would set the environment.
    /// </summary>
    /// <remarks>One word is enough, because Apache cuts long queries, and scripts add or remove arguments.</remarks>
    public static bool IsPassedOn(string? query, IEnumerable<string> arguments) =>
        Words(WebUtility.UrlDecode(query) ?? "").Intersect(arguments.SelectMany(Words)).Any();

    /// <summary>The request that <see cref="Take"/> has read.</summary>
    public static CgiEnvironment Current { get; private set; } = new([]);

    /// <summary>
    /// Reads the request, and removes the client's headers from the environment: HTTP_PROXY would become the proxy of
    /// every HttpClient (httpoxy), and HTTP_PORTS a setting of the host. A second call does nothing.
    /// </summary>
    public static void Take()
    {
        lock (s_lock)
        {
            if (Current.Parameters.Length > 0)
            {
                return;
            }

            // As the original bytes, because .NET replaces those that are not UTF-8.
            Current = new CgiEnvironment((OperatingSystem.IsLinux() ? ReadBytes() : ReadStrings())
                .Where(static variable => IsOfRequest(variable.Name)));
            ForgetHeaders();
        }
    }

    /// <summary>
    /// The length of the body in the standard input. Null for all of it, which a chunked upload needs (not covered by
    /// RFC 3875, section 4.2).
    /// </summary>
    public long? BodyLength() => long.TryParse(Find("CONTENT_LENGTH"), out long length) ? length
        : Find("HTTP_TRANSFER_ENCODING") is null or [] ? 0
        : null;

    private static void ForgetHeaders()
    {
        foreach (string name in Environment.GetEnvironmentVariables().Keys.Cast<string>()
            .Where(static name => name.StartsWith(HeaderPrefix, StringComparison.Ordinal)).ToArray())
        {
#pragma warning disable RS0030 // It removes what the request has set, and sets nothing.
            Environment.SetEnvironmentVariable(name, null);
#pragma warning restore RS0030
        }
    }

    private byte[]? Find(string name) =>
        Array.Find(Parameters, variable => Encoding.Latin1.GetString(variable.Name) == name).Value;

    /// <summary>
    /// The parts of printable ASCII, without backslashes: Apache escapes for a shell, an argument ends at a NUL, a
    /// script may split at spaces, and .NET replaces bytes that are not UTF-8.
    /// </summary>
    private static string[] Words(string text) =>
        string.Concat(text.Where(static c => c != '\\').Select(static c => c is > ' ' and <= '~' ? c : ' '))
            .Split(' ', StringSplitOptions.RemoveEmptyEntries);

    /// <summary>Uses Latin-1, which has a character for each byte.</summary>
    private static IEnumerable<(byte[] Name, byte[] Value)> ReadBytes() =>
        from variable in Encoding.Latin1.GetString(File.ReadAllBytes("/proc/self/environ")).Split('\0')
        let sign = variable.IndexOf('=', StringComparison.Ordinal)
        where sign > 0
        select (Encoding.Latin1.GetBytes(variable[..sign]), Encoding.Latin1.GetBytes(variable[(sign + 1)..]));

    private static IEnumerable<(byte[] Name, byte[] Value)> ReadStrings() =>
        Environment.GetEnvironmentVariables().Cast<DictionaryEntry>().Select(static entry =>
            (Encoding.UTF8.GetBytes((string)entry.Key), Encoding.UTF8.GetBytes((string?)entry.Value ?? "")));

    /// <summary>A header never counts as a setting of the process, even if its name contains two underscores.</summary>
    public static bool IsOfRequest(byte[] name)
    {
        string text = Encoding.Latin1.GetString(name);
        return text == "ASPNETCORE_PATHBASE"
            || text.StartsWith(HeaderPrefix, StringComparison.Ordinal)
            || (!text.Contains("__", StringComparison.Ordinal)
                && !s_others.Any(prefix => text.StartsWith(prefix, StringComparison.OrdinalIgnoreCase)));
    }
}

using FastCgi.Tool.Nginx;

namespace FastCgi.Tool.Doctor;

/// <summary>A fastcgi_pass or scgi_pass with all that is in force there.</summary>
internal sealed class PassPoint
{
    private const string Scgi = "scgi";
    private const string PassSuffix = "_pass";

    public PassPoint(NginxScope scope, NginxDirective pass)
    {
        Protocol = pass.Name[..^PassSuffix.Length];
        Scope = scope;
        Pass = pass;
        Upstream = AllOfHttp("upstream").FirstOrDefault(upstream => upstream.Argument(0) == pass.Argument(0));
        Parameters = scope.FindAll(Directive("param"));
    }

    /// <summary>fastcgi or scgi: how nginx' directives for the application begin.</summary>
    public string Protocol { get; }

    public bool IsScgi => Protocol == Scgi;

    /// <summary>The block of the directive, usually a location.</summary>
    public NginxScope Scope { get; }

    public NginxDirective Pass { get; }

    /// <summary>The upstream block that it names; null if it names an address.</summary>
    public NginxDirective? Upstream { get; }

    /// <summary>The params in force, in their order.</summary>
    public IReadOnlyList<NginxDirective> Parameters { get; }

    public NginxDirective? Location => Scope.Enclosing("location")?.Block;

    public NginxScope? Server => Scope.Enclosing("server");

    /// <summary>nginx chooses the application for each request, so the file does not say which it is.</summary>
    public bool IsVariable => Pass.Argument(0).Contains('$', StringComparison.Ordinal);

    /// <summary>
    /// The addresses that nginx sends requests to, each with the line that names it; none for a variable.
    /// </summary>
    public IEnumerable<(string Address, NginxPlace Place)> Addresses =>
        IsVariable ? []
        : Upstream is null ? [(Pass.Argument(0), Pass.Place)]
        : Upstream.All("server").Where(static server => !server.Arguments.Contains("down"))
            .Select(static server => (server.Argument(0), server.Place));

    /// <summary>Only other locations of nginx send requests here.</summary>
    public bool IsInternal => Location?.All("internal").Any() == true;

    /// <summary>A location of PHP, whose files and habits differ from those of ASP.NET Core.</summary>
    public bool IsPhp => Parameter("SCRIPT_FILENAME") is not null
        || Location?.Arguments.Any(static argument => argument.Contains("\\.php", StringComparison.Ordinal)) == true;

    /// <summary>The full name: fastcgi_param for param.</summary>
    public string Directive(string name) => $"{Protocol}_{name}";

    /// <summary>The directive in force, such as fastcgi_buffer_size; null if it stands nowhere.</summary>
    public NginxDirective? Find(string name) => Scope.Find(Directive(name));

    /// <summary>An address as an endpoint of the protocol.</summary>
    public string EndpointOf(string address) => IsScgi ? $"{Scgi}://{address}" : address;

    /// <summary>The param in force: the last of its name.</summary>
    public NginxDirective? Parameter(string name) =>
        Parameters.LastOrDefault(parameter => parameter.Argument(0) == name);

    /// <summary>
    /// The line to change for a param: its own, or that of the pass if it stands in a file that others include.
    /// </summary>
    public NginxPlace PlaceOf(NginxDirective parameter) =>
        parameter.Place.File == Pass.Place.File ? parameter.Place : Pass.Place;

    /// <summary>Its value; null if it is not sent.</summary>
    public string? ValueOf(string name) => Parameter(name)?.Argument(1);

    /// <summary>What a map makes the variable of; null if no map does.</summary>
    public string? SourceOf(string variable) =>
        AllOfHttp("map").LastOrDefault(map => map.Argument(1) == variable)?.Argument(0);

    /// <summary>All of a configuration.</summary>
    public static IEnumerable<PassPoint> Find(NginxDirective root) => Find(new NginxScope(root, null));

    /// <summary>Directives of the http block, or of a file that is included there.</summary>
    private IEnumerable<NginxDirective> AllOfHttp(string name) => Scope.Root.Block.All("http").Prepend(Scope.Root.Block)
        .SelectMany(block => block.All(name));

    private static IEnumerable<PassPoint> Find(NginxScope scope)
    {
        foreach (NginxDirective directive in scope.Block.Children ?? [])
        {
            if (directive.Name is "fastcgi_pass" or "scgi_pass")
            {
                yield return new PassPoint(scope, directive);
            }

            foreach (PassPoint point in directive.Children is null ? [] : Find(new NginxScope(directive, scope)))
            {
                yield return point;
            }
        }
    }
}

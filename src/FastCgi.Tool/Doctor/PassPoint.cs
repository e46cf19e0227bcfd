namespace FastCgi.Tool.Doctor;

/// <summary>A fastcgi_pass, scgi_pass or proxy_pass with all that is in force there.</summary>
internal sealed class PassPoint
{
    private const string Scgi = "scgi";
    private const string Proxy = "proxy";
    private const string PassSuffix = "_pass";

    private static readonly string[] s_phpNames = ["php", "fpm", "hhvm", "valet.sock"];
    private static readonly string[] s_cgiNames = ["fcgiwrap", "cgi-bin", "git-http-backend", "munin", "mailman"];

    private readonly Definitions _definitions;
    private readonly Lazy<bool> _isNamedPhp;
    private readonly Lazy<bool> _isNamedCgi;

    private PassPoint(NginxScope scope, NginxDirective pass, Definitions definitions)
    {
        Protocol = pass.Name[..^PassSuffix.Length];
        Scope = scope;
        Pass = pass;
        _definitions = definitions;
        Target = IsProxy ? WithoutUrl(pass.Argument(0)) : pass.Argument(0);
        Upstream = definitions.Upstreams.GetValueOrDefault(Target);
        Parameters = scope.FindAll(Directive("param"));
        _isNamedPhp = new(() => IsNamed(s_phpNames));
        _isNamedCgi = new(() => IsNamed(s_cgiNames));
    }

    /// <summary>fastcgi, scgi or proxy: how nginx' directives for the application begin.</summary>
    public string Protocol { get; }

    public bool IsScgi => Protocol == Scgi;

    public bool IsProxy => Protocol == Proxy;

    /// <summary>The block of the directive, usually a location.</summary>
    public NginxScope Scope { get; }

    public NginxDirective Pass { get; }

    /// <summary>The address or the upstream, without the scheme and the path of proxy_pass.</summary>
    public string Target { get; }

    /// <summary>The upstream block that it names; null if it names an address.</summary>
    public NginxDirective? Upstream { get; }

    /// <summary>The params in force, in their order.</summary>
    public IReadOnlyList<NginxDirective> Parameters { get; }

    public NginxDirective? Location => Scope.Enclosing("location")?.Block;

    public NginxScope? Server => Scope.Enclosing("server");

    /// <summary>nginx chooses the application for each request, so the file does not say which it is.</summary>
    public bool IsVariable => Target.Contains('$', StringComparison.Ordinal);

    /// <summary>
    /// The addresses that nginx sends requests to, each with the line that names it; none for a variable.
    /// </summary>
    public IEnumerable<(string Address, NginxPlace Place)> Addresses =>
        IsVariable ? []
        : Upstream is null ? [(Target, Pass.Place)]
        : Upstream.All("server").Where(static server => !server.Arguments.Contains("down"))
            .Select(static server => (server.Argument(0), server.Place));

    /// <summary>Only other locations of nginx send requests here.</summary>
    public bool IsInternal => Location?.All("internal").Any() == true;

    /// <summary>Whether a probe found PHP or something else; null if it was not asked or did not tell.</summary>
    public bool? AnswersAsPhp { get; set; }

    /// <summary>Only paths of PHP's scripts come here.</summary>
    public bool TakesScripts => Location?.Arguments.Any(static argument =>
        argument.Contains("\\.php", StringComparison.Ordinal)
        || argument.EndsWith(".php", StringComparison.Ordinal)) == true;

    /// <summary>An application of PHP, whose files and habits differ from those of ASP.NET Core.</summary>
    public bool IsPhp => AnswersAsPhp ?? (_isNamedPhp.Value || RunsScript || (TakesScripts && MayBePhp));

    /// <summary>
    /// The location takes scripts, and its address could be that of PHP or of any other application.
    /// </summary>
    public bool IsTakenForPhp => IsPhp && AnswersAsPhp is null && !_isNamedPhp.Value && !RunsScript;

    /// <summary>Neither PHP nor a runner of CGI programs.</summary>
    public bool IsAspNetCore => !IsPhp && !_isNamedCgi.Value;

    /// <summary>The full name: fastcgi_param for param.</summary>
    public string Directive(string name) => $"{Protocol}_{name}";

    /// <summary>The directive in force, such as fastcgi_buffer_size; null if it stands nowhere.</summary>
    public NginxDirective? Find(string name) => Scope.Find(Directive(name));

    /// <summary>An address as an endpoint of the protocol.</summary>
    public string EndpointOf(string address) => IsScgi ? $"{Scgi}://{address}" : address;

    /// <summary>
    /// The param in force: the last of its name. nginx sends no empty HTTP_ param, so that an earlier one stays.
    /// </summary>
    public NginxDirective? Parameter(string name)
    {
        NginxDirective[] named = [.. Parameters.Where(parameter => parameter.Argument(0) == name)];
        return (name.StartsWith("HTTP_", StringComparison.Ordinal)
            ? named.LastOrDefault(static parameter => parameter.Argument(1).Length > 0)
            : null) ?? named.LastOrDefault();
    }

    /// <summary>
    /// The line to change for a param: its own, or that of the pass if it stands in a file that others include.
    /// </summary>
    public NginxPlace PlaceOf(NginxDirective parameter) =>
        parameter.Place.File == Pass.Place.File ? parameter.Place : Pass.Place;

    /// <summary>
    /// The correction of a param, for the line that <see cref="PlaceOf"/> names. A line of the same file is replaced,
    /// because it would win over one above it.
    /// </summary>
    public string CorrectionOf(string name, string value)
    {
        string line = $"{Directive("param")} {name} {value};";
        return Parameter(name)?.Place.File == Pass.Place.File
            ? $"Write {line}"
            : $"Add {line} below include {Directive("params")}; in the location.";
    }

    /// <summary>Its value; null if it is not sent.</summary>
    public string? ValueOf(string name) => Parameter(name)?.Argument(1);

    /// <summary>The source of a variable that a map sets; null if no map does.</summary>
    public string? SourceOf(string variable) => _definitions.Maps.GetValueOrDefault(variable)?.Argument(0);

    /// <summary>The map of the variable that names the application, if it leaves requests without one.</summary>
    public NginxDirective? MapWithoutDefault =>
        _definitions.Maps.GetValueOrDefault(Target) is { } map && !map.All("default").Any() && !map.All("include").Any()
            ? map
            : null;

    /// <summary>All of a configuration.</summary>
    public static IEnumerable<PassPoint> Find(NginxDirective root) =>
        Find(new NginxScope(root, null), new Definitions(root));

    /// <summary>A script is named, wherever the request goes.</summary>
    private bool RunsScript => ValueOf("SCRIPT_FILENAME")?.EndsWith(".php", StringComparison.Ordinal) == true;

    /// <summary>Ports from 9000 on are those of PHP-FPM's pools; its sockets have names.</summary>
    private bool MayBePhp => IsVariable || Addresses.Any(static named =>
        !named.Address.StartsWith("unix:", StringComparison.Ordinal)
        && named.Address[(named.Address.LastIndexOf(':') + 1)..] is { Length: 4 } port && port[0] == '9');

    private bool IsNamed(string[] names) =>
        Addresses.Select(static named => named.Address).Append(Target).Concat(
            Parameter("SCRIPT_FILENAME") is { } script && names == s_cgiNames ? [script.Argument(1)] : [])
            .Any(text => names.Any(name => text.Contains(name, StringComparison.OrdinalIgnoreCase)));

    /// <summary>The host and port, or the socket with its <c>unix:</c>, of a URL of proxy_pass.</summary>
    private static string WithoutUrl(string url)
    {
        const string Unix = "unix:";
        string rest = url[(url.IndexOf("://", StringComparison.Ordinal) is >= 0 and var scheme ? scheme + 3 : 0)..];
        int end = rest.StartsWith(Unix, StringComparison.Ordinal)
            ? rest.IndexOf(':', Unix.Length)
            : rest.IndexOf('/', StringComparison.Ordinal);
        return end < 0 ? rest : rest[..end];
    }

    private static IEnumerable<PassPoint> Find(NginxScope scope, Definitions definitions)
    {
        foreach (NginxDirective directive in scope.Block.Children ?? [])
        {
            if (directive is { Name: "fastcgi_pass" or "scgi_pass" or "proxy_pass", Arguments.Count: > 0 })
            {
                yield return new PassPoint(scope, directive, definitions);
            }

            // A balancer of streams passes bytes on, whatever they are.
            if (directive.Children is null || directive.Name == "stream")
            {
                continue;
            }

            foreach (PassPoint point in Find(new NginxScope(directive, scope), definitions))
            {
                yield return point;
            }
        }
    }

    /// <summary>Upstreams and maps of the http block, or of a file that is included there, by their names.</summary>
    private sealed class Definitions(NginxDirective root)
    {
        public IReadOnlyDictionary<string, NginxDirective> Upstreams { get; } = All(root, "upstream", 0);

        public IReadOnlyDictionary<string, NginxDirective> Maps { get; } = All(root, "map", 1);

        private static Dictionary<string, NginxDirective> All(NginxDirective root, string name, int argument)
        {
            var found = new Dictionary<string, NginxDirective>(StringComparer.Ordinal);
            foreach (NginxDirective directive in root.All("http").Prepend(root).SelectMany(block => block.All(name)))
            {
                found[directive.Argument(argument)] = directive;
            }

            return found;
        }
    }
}

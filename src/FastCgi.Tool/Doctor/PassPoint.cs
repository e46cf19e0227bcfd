namespace FastCgi.Tool.Doctor;

/// <summary>A fastcgi_pass, scgi_pass or proxy_pass, with all directives in force there.</summary>
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

    /// <summary>fastcgi, scgi or proxy: the prefix of nginx's directives for the application.</summary>
    public string Protocol { get; }

    public bool IsScgi => Protocol == Scgi;

    public bool IsProxy => Protocol == Proxy;

    /// <summary>The block of the directive, usually a location.</summary>
    public NginxScope Scope { get; }

    public NginxDirective Pass { get; }

    /// <summary>The address or the upstream, without the scheme and path of proxy_pass.</summary>
    public string Target { get; }

    /// <summary>The upstream block with that name; null for an address.</summary>
    public NginxDirective? Upstream { get; }

    /// <summary>The params in force, in their order.</summary>
    public IReadOnlyList<NginxDirective> Parameters { get; }

    public NginxDirective? Location => Scope.Enclosing("location")?.Block;

    public NginxScope? Server => Scope.Enclosing("server");

    /// <summary>True if nginx chooses the application for each request, so that the file does not name it.</summary>
    public bool IsVariable => Target.Contains('$', StringComparison.Ordinal);

    /// <summary>The addresses to which nginx sends requests, each with its line; none for a variable.</summary>
    public IEnumerable<(string Address, NginxPlace Place)> Addresses =>
        IsVariable ? []
        : Upstream is null ? [(Target, Pass.Place)]
        : Upstream.All("server").Where(static server => !server.Arguments.Contains("down"))
            .Select(static server => (server.Argument(0), server.Place));

    /// <summary>True if only other locations of nginx send requests here.</summary>
    public bool IsInternal => Location?.All("internal").Any() == true;

    /// <summary>True if a probe found PHP, false for another application; null if unknown.</summary>
    public bool? AnswersAsPhp { get; set; }

    /// <summary>True if only paths of PHP scripts come here.</summary>
    public bool TakesScripts => Location?.Arguments.Any(static argument =>
        argument.Contains("\\.php", StringComparison.Ordinal)
        || argument.EndsWith(".php", StringComparison.Ordinal)) == true;

    /// <summary>True for a PHP application, whose files and habits differ from those of ASP.NET Core.</summary>
    public bool IsPhp => AnswersAsPhp ?? (_isNamedPhp.Value || RunsScript || (TakesScripts && MayBePhp));

    /// <summary>
    /// True if the location takes scripts, and its address may be that of PHP or of another application.
    /// </summary>
    public bool IsTakenForPhp => IsPhp && AnswersAsPhp is null && !_isNamedPhp.Value && !RunsScript;

    /// <summary>True if it is neither PHP nor a runner of CGI programs.</summary>
    public bool IsAspNetCore => !IsPhp && !_isNamedCgi.Value;

    /// <summary>The full name: fastcgi_param for param.</summary>
    public string Directive(string name) => $"{Protocol}_{name}";

    /// <summary>The directive in force, such as fastcgi_buffer_size; null if there is none.</summary>
    public NginxDirective? Find(string name) => Scope.Find(Directive(name));

    /// <summary>The address as an endpoint of the protocol.</summary>
    public string EndpointOf(string address) => IsScgi ? $"{Scgi}://{address}" : address;

    /// <summary>
    /// The param in force: the last one with the name. nginx sends no empty HTTP_ param, so an earlier one stays.
    /// </summary>
    public NginxDirective? Parameter(string name)
    {
        NginxDirective[] named = [.. Parameters.Where(parameter => parameter.Argument(0) == name)];
        return (name.StartsWith("HTTP_", StringComparison.Ordinal)
            ? named.LastOrDefault(static parameter => parameter.Argument(1).Length > 0)
            : null) ?? named.LastOrDefault();
    }

    /// <summary>
    /// The line to change for a param: its own, or that of the pass directive if the param is in an included file.
    /// </summary>
    public NginxPlace PlaceOf(NginxDirective parameter) =>
        parameter.Place.File == Pass.Place.File ? parameter.Place : Pass.Place;

    /// <summary>
    /// The correction of a param, for the line of <see cref="PlaceOf"/>. A line in the same file is replaced, because
    /// it would override one above it.
    /// </summary>
    public string CorrectionOf(string name, string value)
    {
        string line = $"{Directive("param")} {name} {value};";
        return Parameter(name)?.Place.File == Pass.Place.File
            ? $"Write {line}"
            : $"Add {line} below include {Directive("params")}; in the location.";
    }

    /// <summary>The value of a param; null if it is not sent.</summary>
    public string? ValueOf(string name) => Parameter(name)?.Argument(1);

    /// <summary>The source of a variable of a map or of set; null for other variables.</summary>
    public string? SourceOf(string variable) => _definitions.Maps.GetValueOrDefault(variable)?.Argument(0)
        ?? Scope.Chain.Select(scope => scope.Block.All("set").LastOrDefault(line => line.Argument(0) == variable))
            .FirstOrDefault(static line => line is not null)?.Argument(1);

    /// <summary>The map of the variable with the application, if it has no value for some requests.</summary>
    public NginxDirective? MapWithoutDefault =>
        _definitions.Maps.GetValueOrDefault(Target) is { } map && !map.All("default").Any() && !map.All("include").Any()
            ? map
            : null;

    /// <summary>Finds all pass directives of a configuration.</summary>
    public static IEnumerable<PassPoint> Find(NginxDirective root) =>
        Find(new NginxScope(root, null), new Definitions(root));

    /// <summary>True if a script is named, wherever the request goes.</summary>
    private bool RunsScript => ValueOf("SCRIPT_FILENAME")?.EndsWith(".php", StringComparison.Ordinal) == true;

    /// <summary>Ports from 9000 on are typical of PHP-FPM's pools. Its sockets have names.</summary>
    private bool MayBePhp => IsVariable || Addresses.Any(static named =>
        !named.Address.StartsWith("unix:", StringComparison.Ordinal)
        && named.Address[(named.Address.LastIndexOf(':') + 1)..] is { Length: 4 } port && port[0] == '9');

    private bool IsNamed(string[] names) =>
        Addresses.Select(static named => named.Address).Append(Target).Concat(
            Parameter("SCRIPT_FILENAME") is { } script && names == s_cgiNames ? [script.Argument(1)] : [])
            .Any(text => names.Any(name => text.Contains(name, StringComparison.OrdinalIgnoreCase)));

    /// <summary>The host and port, or the socket with its <c>unix:</c>, of a proxy_pass URL.</summary>
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

            // A stream block passes on bytes of any protocol.
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

    /// <summary>Upstreams and maps by name, from the http block or from a file that is included there.</summary>
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

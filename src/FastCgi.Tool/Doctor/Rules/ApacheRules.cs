using System.Text.RegularExpressions;

namespace FastCgi.Tool.Doctor.Rules;

/// <summary>Mistakes between Apache's mod_proxy_fcgi and an application.</summary>
internal static class ApacheRules
{
    private const string Unix = "unix:";
    private const string Scheme = "fcgi://";

    private static readonly string[] s_usualAddresses = ["127.0.0.1:9000", "localhost:9000"];

    /// <summary>Words of SetEnvIf that are no headers.</summary>
    private static readonly string[] s_ofConnection =
        ["Remote_Host", "Remote_Addr", "Server_Addr", "Request_Method", "Request_Protocol", "Request_URI"];

    /// <summary>Expressions that match every path.</summary>
    private static readonly string[] s_everything = ["^", ".", ".*", "(.*)", "^.*$", "^(.*)$", "^/(.*)$", "^/?(.*)$"];

    /// <summary>Limit for one expression of a file.</summary>
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(1);

    /// <summary>Variables that Apache does not overwrite.</summary>
    private static readonly string[] s_facts = ["HTTPS", "REMOTE_USER", "SSL_CLIENT_CERT", "SSL_CLIENT_VERIFY"];

    /// <returns>The findings, and the number of lines that pass requests to FastCGI.</returns>
    public static (IReadOnlyList<Finding> Findings, int Passes) Check(NginxConfiguration configuration)
    {
        List<ApachePass> passes = [.. Find(new NginxScope(configuration.Root, null))];
        ApachePass[] own = [.. passes.Where(static pass => pass.IsFastCgi)];
        List<Finding> findings = [];
        foreach (ApachePass pass in own)
        {
            findings.AddRange(CheckAddress(pass));
            findings.AddRange(pass.IsPhp ? [] : CheckSite(pass));
            findings.AddRange(pass.IsPhp ? [] : CheckPath(pass));
        }

        findings.AddRange(CheckTrust(
            [.. own.Where(static pass => !pass.IsPhp).SelectMany(LinesFor).Except(Conditional(configuration.Root))]));
        findings.AddRange(own.Any(static pass => pass.IsPhp) ? [] : CheckScripts(own));
        findings.AddRange(CheckShared(own));
        findings.AddRange(CheckHttp(passes, own));
        findings.AddRange(CheckModules(configuration.Root, own));
        if (own.Length == 0 && configuration.Root.WithDescendants().FirstOrDefault(static section =>
            section.Name == "virtualhost") is { } site && findings.Count == 0
            && !configuration.Root.WithDescendants().Any(static line => IsInclude(line)
                || line.Name.StartsWith("fcgid", StringComparison.Ordinal) || line.Name is "redirect" or "rewriterule"))
        {
            findings.Add(new Finding(
                "no-pass",
                site.Place,
                "nothing is passed on by FastCGI: no application is asked.",
                "Add ProxyPass \"/\" \"unix:/run/app/app.sock|fcgi://app/\", as fcgi config apache writes it.")
            {
                IsHint = passes.Count > 0,
            });
        }

        return (findings, own.Length);
    }

    private static IEnumerable<ApachePass> Find(NginxScope scope)
    {
        foreach (NginxDirective line in scope.Block.Children!)
        {
            string? target = line.Name switch
            {
                "proxypass" or "proxypassmatch" => line.Arguments.FirstOrDefault(static argument =>
                    argument.Contains("://", StringComparison.Ordinal)),
                "sethandler" when line.Argument(0).StartsWith("proxy:", StringComparison.OrdinalIgnoreCase) =>
                    line.Argument(0)["proxy:".Length..],
                _ => null,
            };
            if (target is not null)
            {
                yield return new ApachePass(scope, line, target);
            }

            foreach (ApachePass pass in line.Children is null ? [] : Find(new NginxScope(line, scope)))
            {
                yield return pass;
            }
        }
    }

    private static IEnumerable<Finding> CheckAddress(ApachePass pass)
    {
        if (pass.Socket is { } socket && SocketRules.IsMissing(Unix + socket))
        {
            yield return new Finding(
                "unreachable",
                pass.Line.Place,
                $"there is no socket file {socket}: every request is a 503.",
                "Start the application, or correct the path.");
        }

        if (pass.TakesScripts && !pass.IsPhp)
        {
            yield return new Finding(
                "php-leftovers",
                pass.Line.Place,
                $"{pass.Line.Name} passes {pass.Address} only paths that end in .php: no page of the application is " +
                "reached.",
                "Write ProxyPass \"/\" for an application of ASP.NET Core.");
        }
    }

    private static IEnumerable<Finding> CheckSite(ApachePass pass)
    {
        NginxDirective[] lines = [.. LinesFor(pass)];
        bool isIncomplete = lines.Any(IsInclude);
        bool passesPassword = lines.Except(Conditional(pass.Scope.Root.Block)).Any(static line =>
            (line.Name == "cgipassauth" && IsOn(line))
            || (line.Name is "setenvif" or "setenvifnocase" or "rewriterule" or "proxyfcgisetenvif"
                && line.Arguments.Any(static argument =>
                    argument.Contains("HTTP_AUTHORIZATION", StringComparison.OrdinalIgnoreCase))));
        if (!passesPassword && !isIncomplete)
        {
            yield return new Finding(
                "authorization",
                pass.Line.Place,
                "Apache keeps the Authorization header from the application: every token and password is refused.",
                "Add CGIPassAuth On to <Location \"/\">.");
        }

        NginxDirective? slashes = pass.Scope.Chain
            .Select(static scope => WithConditional(scope.Block).LastOrDefault(static line =>
                line.Name == "allowencodedslashes"))
            .FirstOrDefault(static line => line is not null);
        if (slashes is null ? !isIncomplete : slashes.Argument(0).Equals("off", StringComparison.OrdinalIgnoreCase))
        {
            yield return new Finding(
                "encoded-slashes",
                pass.Line.Place,
                "Apache answers paths with %2F itself, with 404.",
                "Add AllowEncodedSlashes NoDecode to the virtual host.");
        }

        if (pass.Scope.Find("proxyerroroverride") is { } error && IsOn(error))
        {
            yield return new Finding(
                "error-override",
                error.Place,
                "ProxyErrorOverride replaces every answer from 400 on by Apache's own page, those of an API too.",
                "Remove the line, or name the codes: ProxyErrorOverride On 502 503.")
            {
                IsHint = error.Arguments.Count > 1,
            };
        }

        if (!isIncomplete
            && !lines.Any(static line => line.Name == "setenv" && line.Argument(0) == "ap_trust_cgilike_cl"))
        {
            yield return new Finding(
                "content-length",
                pass.Line.Place,
                "Apache removes Content-Length from responses: no progress of downloads, no length for HEAD.",
                "Add SetEnv ap_trust_cgilike_cl 1 to <Location \"/\">.") { IsHint = true };
        }
    }

    /// <summary>Facts that a client can choose.</summary>
    private static IEnumerable<Finding> CheckTrust(NginxDirective[] lines)
    {
        NginxDirective? address = lines.FirstOrDefault(static line => line.Name == "remoteipheader");
        if (address is not null && !lines.Any(static line => line.Name.StartsWith("remoteip", StringComparison.Ordinal)
            && line.Name.Contains("proxy", StringComparison.Ordinal)) && !lines.Any(IsInclude))
        {
            yield return new Finding(
                "real-ip-from-everybody",
                address.Place,
                $"{address} believes every client what it says of its address.",
                "Add RemoteIPInternalProxy with the addresses of your balancer.");
        }

        foreach (NginxDirective line in lines.Where(static line => line.Name is "setenvif" or "setenvifnocase"
            && !s_ofConnection.Contains(line.Argument(0), StringComparer.OrdinalIgnoreCase)))
        {
            foreach (string fact in line.Arguments.Skip(2).Where(static argument =>
                s_facts.Contains(argument.Split('=')[0])))
            {
                yield return new Finding(
                    "forged-fact",
                    line.Place,
                    $"{fact.Split('=')[0]} comes from {line.Argument(0)}, which any client can send: the client " +
                    "decides what the application trusts.",
                    "Remove the line, or write it into <If \"-R '10.0.0.0/8'\"> with the addresses of your balancer.");
            }
        }
    }

    /// <summary>Finds rules that make every path one script, although no PHP is asked.</summary>
    private static IEnumerable<Finding> CheckScripts(ApachePass[] passes) => passes
        .SelectMany(static pass => pass.Scope.Chain.SelectMany(static scope => WithConditional(scope.Block)))
        .Distinct()
        .Where(static line => line.Name == "rewriterule" && s_everything.Contains(line.Argument(0))
            && line.Argument(1).Split('?', '/') is [.., var last]
            && last.EndsWith(".php", StringComparison.Ordinal))
        .Select(static line => new Finding(
            "php-leftovers",
            line.Place,
            $"{line} makes paths of the application {line.Argument(1)}, as for PHP: each is a 404.",
            "Remove the line."));

    private static IEnumerable<Finding> CheckPath(ApachePass pass)
    {
        string url = pass.Target[(pass.Target.IndexOf(Scheme, StringComparison.OrdinalIgnoreCase) + Scheme.Length)..];
        if (pass.Line.Name == "proxypassmatch" && !pass.TakesScripts && WhyUnmatched(pass, url) is { } reason)
        {
            yield return new Finding(
                "pass-match",
                pass.Line.Place,
                reason,
                $"Write ProxyPass with the path in place of the expression: ProxyPass \"/\" " +
                $"\"{pass.Target.Split("://")[0]}://{pass.Name}/\".");
        }

        if (pass.Line.Name == "sethandler" && IndexOf(pass) is { } index)
        {
            yield return new Finding(
                "directory-index",
                pass.Line.Place,
                $"mod_dir asks for {index} where a path ends with a slash: the application gets /{index} instead of /.",
                "Add DirectoryIndex disabled beside SetHandler, or write ProxyPass.");
        }

        if (pass.Line.Arguments.Contains("nocanon", StringComparer.OrdinalIgnoreCase))
        {
            yield return new Finding(
                "nocanon",
                pass.Line.Place,
                "nocanon leaves the query in the path, and Apache answers 403 to every request that has one.",
                "Remove nocanon. AllowEncodedSlashes NoDecode keeps %2F as the client sent it.");
        }

        if (pass.Line.Name != "proxypass" || pass.Path is not { } path)
        {
            yield break;
        }

        if (path.EndsWith('/') != url.EndsWith('/'))
        {
            yield return new Finding(
                "pass-slash",
                pass.Line.Place,
                $"'{path}' and 'fcgi://{url}' do not both end with a slash, so the rest of a path is put behind the " +
                "address without one, or with two: requests fail.",
                "Write both with a slash at the end: " +
                $"ProxyPass \"{path.TrimEnd('/')}/\" \"{pass.Target.TrimEnd('/')}/\".");
        }

        foreach (NginxDirective late in pass.Scope.Block.All("proxypass").Where(other =>
            other.Order > pass.Line.Order && other.Argument(1) == "!"
            && other.Argument(0).StartsWith(path, StringComparison.Ordinal)))
        {
            yield return new Finding(
                "pass-order",
                late.Place,
                $"ProxyPass {late.Argument(0)} ! stands below ProxyPass {path} (line {pass.Line.Place.Line}), which " +
                "takes its paths first.",
                "Move the line above.");
        }
    }

    /// <summary>The requests for which ProxyPassMatch does not do what it looks like; null if there are none.</summary>
    private static string? WhyUnmatched(ApachePass pass, string url) =>
        !url.Contains('$', StringComparison.Ordinal) && url.EndsWith('/')
            ? $"ProxyPassMatch without $1 puts the whole path behind 'fcgi://{url}': the application gets //orders."
        : url == $"{pass.Name}/$1" && pass.Socket is not null && pass.Line.Argument(0) is ['^', '/', '(', ..]
            ? $"$1 is empty for the path /, and Apache then forgets the socket: it asks a host {pass.Name}."
        : null;

    /// <summary>The file that mod_dir looks for; null if it is switched off or not there.</summary>
    private static string? IndexOf(ApachePass pass)
    {
        NginxDirective[] lines = [.. LinesFor(pass)];
        NginxDirective? index = lines.LastOrDefault(static line => line.Name == "directoryindex");
        bool isLoaded = !lines.Any(static line => line.Name == "loadmodule")
            || lines.Any(static line => line.Argument(0) == "dir_module");
        bool isOfRoot = pass.Scope.Chain.All(static scope =>
            scope.Block.Name is not "location" || scope.Block.Arguments is ["/"]);
        return !isLoaded || !isOfRoot ? null
            : index is null ? lines.Any(IsInclude) ? null : "index.html"
            : index.Argument(0).EndsWith(".html", StringComparison.Ordinal) ? index.Argument(0) : null;
    }

    /// <summary>Finds two sockets with one name: Apache uses the first for both.</summary>
    private static IEnumerable<Finding> CheckShared(ApachePass[] passes)
    {
        foreach (IGrouping<string, ApachePass> group in passes.Where(static pass => pass.Socket is not null)
            .GroupBy(static pass => pass.Name))
        {
            ApachePass first = group.First();
            foreach (ApachePass other in group.Where(pass => pass.Socket != first.Socket
                && pass.Line.Name == "proxypass" && first.Line.Name == "proxypass"))
            {
                yield return new Finding(
                    "shared-name",
                    other.Line.Place,
                    $"fcgi://{other.Name} is the name of two sockets, {first.Socket} and {other.Socket}: lines with " +
                    "one name share their options.",
                    "Give each application a name of its own behind fcgi://.") { IsHint = true };
            }
        }
    }

    private static IEnumerable<Finding> CheckHttp(List<ApachePass> passes, ApachePass[] own)
    {
        HashSet<string> known =
        [
            .. own.Select(static pass => pass.Address), .. own.Length == 0 ? s_usualAddresses : [],
        ];
        foreach (ApachePass pass in passes.Where(static pass => !pass.IsFastCgi))
        {
            if (known.Contains(pass.Address))
            {
                yield return new Finding(
                    "fastcgi-port",
                    pass.Line.Place,
                    $"{pass.Address} is where a FastCGI application listens, and '{pass.Target}' is for HTTP: every " +
                    "request fails.",
                    $"Write fcgi:// in place of http://.");
            }
        }
    }

    private static IEnumerable<Finding> CheckModules(NginxDirective root, ApachePass[] own)
    {
        string[] loaded = [.. root.WithDescendants().Where(static line => line.Name == "loadmodule")
            .Select(static line => line.Argument(0))];
        if (own.Length > 0 && loaded.Length > 0 && !loaded.Contains("proxy_fcgi_module")
            && !root.WithDescendants().Any(IsInclude))
        {
            yield return new Finding(
                "module-missing",
                own[0].Line.Place,
                "mod_proxy_fcgi is not loaded: every request is a 500.",
                "Run a2enmod proxy_fcgi, or add LoadModule proxy_fcgi_module modules/mod_proxy_fcgi.so.");
        }
    }

    /// <summary>The lines of the server and of the virtual host.</summary>
    private static IEnumerable<NginxDirective> LinesFor(ApachePass pass) =>
    [
        .. LinesFor(pass, pass.Scope.Root.Block),
        .. pass.Scope.Enclosing("virtualhost") is { } site ? LinesFor(pass, site.Block) : [],
    ];

    /// <summary>
    /// The lines of a section and of its inner sections, except other virtual hosts and each Location that does not
    /// contain the path of the pass.
    /// </summary>
    private static IEnumerable<NginxDirective> LinesFor(ApachePass pass, NginxDirective section) =>
        section.Children!.SelectMany(line =>
            line.Children is null ? [line]
            : line.Name == "virtualhost" || pass.IsOutside(line) ? []
            : LinesFor(pass, line));

    /// <summary>The lines that hold for some requests only.</summary>
    private static IEnumerable<NginxDirective> Conditional(NginxDirective root) => root.WithDescendants()
        .Where(static section => section.Name is "if" or "elseif" or "else" && section.Children is not null)
        .SelectMany(static section => section.WithDescendants());

    /// <summary>The lines of a section, including those in IfModule, whose condition only Apache knows.</summary>
    private static IEnumerable<NginxDirective> WithConditional(NginxDirective section) =>
        section.Children!.SelectMany(static line => line is { Name: "ifmodule" or "ifdefine", Children: not null }
            ? WithConditional(line)
            : [line]);

    /// <summary>True for a line whose files were not read, and may contain any other line.</summary>
    private static bool IsInclude(NginxDirective line) => line.Name is "include" or "includeoptional";

    private static bool IsOn(NginxDirective line) => line.Argument(0).Equals("on", StringComparison.OrdinalIgnoreCase);

    /// <summary>A line that passes on requests.</summary>
    private sealed record ApachePass(NginxScope Scope, NginxDirective Line, string Target)
    {
        public bool IsFastCgi => Target.Contains(Scheme, StringComparison.OrdinalIgnoreCase);

        /// <summary>The path of its socket; null for a port.</summary>
        public string? Socket => Target.StartsWith(Unix, StringComparison.Ordinal)
            ? Target[Unix.Length..].Split('|')[0]
            : null;

        /// <summary>The part after the scheme, without a path.</summary>
        public string Name => Target[(Target.LastIndexOf("://", StringComparison.Ordinal) + 3)..].Split('/')[0];

        public string Address => Socket is { } socket ? Unix + socket : Name;

        /// <summary>The path of the line: an argument, or that of the surrounding Location.</summary>
        public string? Path => Line.Arguments is [['/', ..] path, ..] ? path
            : Scope.Block.Name == "location" ? Scope.Block.Argument(0)
            : null;

        /// <summary>True for a Location of other paths. False if the pass has an expression.</summary>
        public bool IsOutside(NginxDirective section) => Path is ['/', ..] && section switch
        {
            { Name: "location", Arguments: ["~", var expression] } => IsOfOthers(expression),
            { Name: "locationmatch", Arguments: [var expression] } => IsOfOthers(expression),
            { Name: "location", Arguments: [['/', ..] place] } => place.AsSpan().IndexOfAny("*?[") < 0
                && !$"{Path.TrimEnd('/')}/".StartsWith($"{place.TrimEnd('/')}/", StringComparison.Ordinal),
            _ => false,
        };

        private bool IsOfOthers(string expression)
        {
            try
            {
                return !Regex.IsMatch($"{Path!.TrimEnd('/')}/x/1", expression, RegexOptions.None, s_patience);
            }
            catch (Exception exception) when (exception is ArgumentException or RegexMatchTimeoutException)
            {
                return false;
            }
        }

        public bool TakesScripts => Line.Arguments.Concat(Scope.Block.Arguments)
            .Any(static argument => argument.Contains("\\.php", StringComparison.Ordinal)
                || argument.Contains("\\.(php", StringComparison.Ordinal)
                || argument.EndsWith("*.php", StringComparison.Ordinal));

        /// <summary>True for a name of PHP, and for a port from 9000 on that takes scripts.</summary>
        public bool IsPhp => Target.Contains("php", StringComparison.OrdinalIgnoreCase)
            || Target.Contains("fpm", StringComparison.OrdinalIgnoreCase)
            || (TakesScripts && Socket is null && Name.Split(':')[^1] is ['9', _, _, _]);
    }
}

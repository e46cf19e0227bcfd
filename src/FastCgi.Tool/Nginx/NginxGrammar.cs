using System.Buffers;
using System.Collections.Frozen;
using System.Text.RegularExpressions;

namespace FastCgi.Tool.Nginx;

/// <summary>
/// The checks of directives that nginx makes when it starts: names, blocks, numbers of arguments, values, variables.
/// The table (directives.txt) has all of nginx's own modules and the Lua module. Directives of other modules are
/// recognised by their prefix.
/// </summary>
internal static partial class NginxGrammar
{
    /// <summary>
    /// The port in the client's Host, which <c>$host</c> omits. <c>$server_port</c> differs if a container or router
    /// maps ports. <c>$http_host</c> may not be the host by which nginx chose the server.
    /// </summary>
    public const string HostPortMap =
        "map $http_host $host_port { ~(?<port_of_host>:[0-9]+)$ $port_of_host; }";

    /// <summary>The text after <c>HTTPS $client_https if_not_empty;</c>.</summary>
    public const string MapsOfBalancer =
        "with the maps of docs/behind-a-proxy.md in http { }: they believe X-Forwarded-Proto of the balancer alone.";

    private const int MaxArguments = 7;

    /// <summary>The blocks for which a fragment may be meant, the usual ones first.</summary>
    private const string Starts = "hmsluijHSUMN";

    /// <summary>Blocks whose lines are not directives.</summary>
    private const char Data = '-';

    /// <summary>A block of an unknown module.</summary>
    private const char Unknown = '?';

    private static readonly (ILookup<string, Rule> Rules, FrozenSet<string> Variables, string[] Families) s_table =
        Load();

    private static readonly SearchValues<char> s_odd = SearchValues.Create(
        "\u00A0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u200B\u3000\u201C\u201D\uFEFF");

    private static readonly string[] s_dataBlocks =
        ["types", "map", "geo", "split_clients", "charset_map", "match", "otel_exporter"];

    /// <summary>Prefixes of directives of other modules.</summary>
    private static readonly string[] s_otherModules =
    [
        "access_by_lua", "acme_", "ajp_", "api", "auth_digest", "auth_gss", "auth_jwt", "auth_ldap", "auth_pam", "aws_",
        "balancer_by_lua", "bandwidth", "basicrule", "body_filter_by_lua", "brotli", "cache_purge", "check",
        "checkrule", "concat", "content_by_lua", "create_full_put", "dav_ext", "delayed_load", "deniedurl", "drizzle",
        "dyups", "echo", "encrypted_session", "eval", "exit_worker_by_lua", "fancyindex", "fastcgi_cache_purge",
        "flv_live", "footer", "geoip2", "header_filter_by_lua", "health_check", "http_flv", "iconv", "image",
        "init_by_lua", "init_worker_by_lua", "jaeger", "js_", "keyval", "learningmode", "log_by_lua", "lua_",
        "mainrule", "memc_", "modsecurity", "more_", "nchan", "ndk_", "opentelemetry", "opentracing", "otel_",
        "pagespeed", "passenger", "perl", "pinba", "postgres", "proxy_cache_purge", "proxy_connect", "push_stream",
        "rails_", "rds_", "redis", "replace_filter", "req_status", "rewrite_by_lua", "rtmp", "scgi_cache_purge",
        "secrules", "server_rewrite_by_lua", "session_sticky", "set_base32", "set_decode", "set_encode", "set_escape",
        "set_form", "set_hashed", "set_hmac", "set_if_empty", "set_local", "set_md5", "set_quote", "set_random",
        "set_rotate", "set_secure", "set_sha1", "set_unescape", "shib_", "slowfs", "spnego", "srcache",
        "ssl_certificate_by_lua", "ssl_client_hello_by_lua", "ssl_session_fetch_by_lua", "ssl_session_store_by_lua",
        "status", "status_zone", "sticky", "subs_filter", "sysguard", "testcookie", "track_uploads", "trim", "upload",
        "upstream_conf", "upsync", "user_agent", "uwsgi_cache_purge", "vhost_traffic", "wasm", "xss_", "zip",
        "zone_sync", "zstd",
    ];

    /// <summary>Directives that are allowed once per block, although nginx's table does not say so.</summary>
    private static readonly string[] s_single =
    [
        "aio", "alias", "auth_basic", "auth_basic_user_file", "auth_request", "charset", "client_body_temp_path",
        "dav_access", "directio", "disable_symlinks", "events", "expires", "fastcgi_bind", "fastcgi_cache",
        "fastcgi_cache_key", "fastcgi_limit_rate", "fastcgi_pass", "fastcgi_store", "fastcgi_store_access",
        "fastcgi_temp_path", "grpc_pass", "http", "internal", "keepalive", "keepalive_timeout", "limit_except",
        "limit_rate", "limit_rate_after", "mail", "open_file_cache", "proxy_bind", "proxy_cache", "proxy_cache_key",
        "proxy_limit_rate", "proxy_method", "proxy_pass", "proxy_store", "proxy_store_access", "proxy_temp_path",
        "real_ip_header", "resolver", "root", "scgi_bind", "scgi_cache", "scgi_cache_key", "scgi_limit_rate",
        "scgi_pass", "scgi_store", "scgi_store_access", "scgi_temp_path", "source_charset", "stream", "try_files",
        "userid_expires", "uwsgi_pass",
    ];

    /// <summary>Directives in whose arguments nginx looks for variables, with the first such argument.</summary>
    private static readonly FrozenDictionary<string, int> s_expanding = new Dictionary<string, int>
    {
        ["fastcgi_param"] = 1, ["scgi_param"] = 1, ["uwsgi_param"] = 1, ["fastcgi_pass"] = 0, ["scgi_pass"] = 0,
        ["proxy_pass"] = 0, ["return"] = 0, ["set"] = 1, ["add_header"] = 1, ["proxy_set_header"] = 1,
        ["fastcgi_cache_key"] = 0, ["fastcgi_cache_bypass"] = 0, ["fastcgi_no_cache"] = 0, ["root"] = 0, ["alias"] = 0,
        ["try_files"] = 0, ["rewrite"] = 1, ["log_format"] = 1, ["if"] = 0,
    }.ToFrozenDictionary();

    /// <param name="root">A whole configuration, or a part of one.</param>
    /// <param name="isComplete">True if all files were read, so that undefined names are defined nowhere.</param>
    public static IReadOnlyList<NginxError> Check(NginxDirective root, bool isComplete)
    {
        IReadOnlyList<NginxDirective> top = root.Children!;
        bool isWhole = top.Any(static directive => directive.Name is "http" or "events" or "stream" or "mail");
        List<NginxError>? best = null;
        foreach (char block in isWhole ? "m" : Starts)
        {
            List<NginxError> errors = [];
            CheckBlock(root, block, errors, deepest: best?.Count ?? int.MaxValue);
            if (best is null || errors.Count < best.Count)
            {
                best = errors;
            }

            if (best.Count == 0)
            {
                break;
            }
        }

        if (isComplete && best!.Count == 0 && isWhole)
        {
            CheckWhole(root, best);
        }
        else if (isComplete && best!.Count == 0)
        {
            CheckBuffers(new NginxScope(root, null), named: null, best);
        }

        return best!;
    }

    private static IEnumerable<string> KnownNames => s_table.Rules.Select(static group => group.Key);

    /// <summary>True for a directive of nginx's own modules.</summary>
    public static bool IsKnown(string name) => s_table.Rules.Contains(name);

    /// <summary>True for a variable that nginx has without a definition.</summary>
    public static bool IsVariable(string name) => s_table.Variables.Contains(name)
        || s_table.Families.Any(family => name.StartsWith(family, StringComparison.Ordinal));

    /// <summary>The variables in a text, without the dollar.</summary>
    public static IEnumerable<string> VariablesIn(string text) =>
        Variable().Matches(text).Select(static match => match.Groups[1].Value);

    private static void CheckBlock(NginxDirective parent, char block, List<NginxError> errors, int deepest)
    {
        var seen = new HashSet<string>(StringComparer.Ordinal);
        foreach (NginxDirective directive in parent.Children!)
        {
            if (errors.Count >= deepest)
            {
                return;
            }

            Rule? rule = block is Data or Unknown ? null : CheckDirective(directive, block, errors);
            if (rule is not null)
            {
                CheckValue(directive, rule, errors);
                if (IsSingle(directive, rule) && !seen.Add(directive.Name))
                {
                    Add(
                        errors,
                        directive,
                        $"{directive.Name} stands a second time in this block",
                        "Remove one of them.");
                }
            }

            if (directive.Children is not null && !directive.IsForeignCode)
            {
                CheckBlock(directive, BlockOf(directive, block), errors, deepest);
            }

            if (rule is not null && directive.Name == "location")
            {
                CheckNesting(parent, directive, errors);
            }
            else if (directive is { Name: "upstream", Children: { } servers, ClosingLine: > 0 } && block == 'h'
                && !servers.Any(static server => server.Name is "server" or "state" or "include"))
            {
                errors.Add(new NginxError(
                    directive.Place,
                    $"the upstream {directive.Argument(0)} has no server. nginx does not start",
                    "Add server unix:/run/app/app.sock; or the address of the application.")
                {
                    Named = directive.Place with { Line = directive.ClosingLine },
                    Order = servers.Count > 0 ? servers[^1].Order : directive.Order,
                });
            }
        }

        if (block is 's' or 'l')
        {
            CheckLocations(parent, errors);
        }
    }

    /// <returns>Null if no more can be checked.</returns>
    private static Rule? CheckDirective(NginxDirective directive, char block, List<NginxError> errors)
    {
        if (!s_table.Rules.Contains(directive.Name))
        {
            if (!IsOfOtherModule(directive.Name))
            {
                string remedy = Spelling.Nearest(directive.Name, KnownNames) is { } near
                    ? $"Did you mean {near}?"
                    : "Remove it, or load the module that has it (load_module).";
                string odd = OddCharacter(directive.Name) is { } character ? $", with {character} in it," : "";
                Add(errors, directive, $"nginx has no directive '{directive.Name}'{odd} and does not start", remedy);
            }

            return null;
        }

        Rule? rule = s_table.Rules[directive.Name].FirstOrDefault(
            rule => rule.Blocks.AsSpan().IndexOfAny(block, 'a') >= 0);
        if (rule is null)
        {
            Add(errors, directive, $"{directive.Name} is not allowed here", PlaceFor(directive.Name));
            return null;
        }

        if (rule.IsBlock != (directive.Children is not null))
        {
            Add(errors, directive, rule.IsBlock
                ? $"{directive.Name} has no block in braces"
                : $"{directive.Name} ends with a semicolon, and a brace stands there");
            return null;
        }

        int count = directive.Arguments.Count;
        if (!rule.Takes(count))
        {
            Add(errors, directive, $"{directive.Name} has {count} arguments, and takes {rule.Describe()}");
            return null;
        }

        return rule;
    }

    private static void CheckValue(NginxDirective directive, Rule rule, List<NginxError> errors)
    {
        string value = directive.Argument(0);
        string? wanted = rule.Kind switch
        {
            "flag" when value is not ("on" or "off") && !value.Equals("on", StringComparison.OrdinalIgnoreCase)
                && !value.Equals("off", StringComparison.OrdinalIgnoreCase) => "on or off",
            "num" when !value.All(char.IsAsciiDigit) || value.Length == 0 => "a number",
            "size" or "off" when NginxScope.ParseSize(value) is null => "a size such as 32k",
            "size" when value[^1] is 'g' or 'G' => "a size in k or m",
            "bufs" when !value.All(char.IsAsciiDigit) || value.Trim('0').Length == 0 => "a number of buffers",
            "bufs" when NginxScope.ParseSize(directive.Argument(1)) is null or 0 => "a size such as 32k",
            "msec" or "sec" when !Time().IsMatch(value) => "a time such as 60s",
            _ => null,
        };
        if (directive.Name is "fastcgi_param" or "scgi_param" && directive.Arguments is [_, _, not "if_not_empty"])
        {
            wanted = "if_not_empty as its third argument";
            value = directive.Argument(2);
        }

        if (wanted is not null)
        {
            Add(errors, directive, $"'{value}' is no value for {directive.Name}, which takes {wanted}");
        }
    }

    private static void CheckLocations(NginxDirective parent, List<NginxError> errors)
    {
        var seen = new HashSet<string>(StringComparer.Ordinal);
        foreach (NginxDirective location in parent.All("location"))
        {
            if (location.Arguments is [var modifier, _] && modifier is not ("=" or "^~" or "~" or "~*"))
            {
                Add(errors, location, $"'{modifier}' is no modifier of location; nginx knows = ^~ ~ and ~*");
            }

            bool isRegex = location.Argument(0).StartsWith('~');
            string kind = location.Argument(0) == "=" ? "=" : "";
            if (!isRegex && location.Arguments.Count > 0 && !seen.Add(kind + location.Arguments[^1]))
            {
                Add(errors, location, $"the location {location.Arguments[^1]} stands a second time in this block");
            }

            if (isRegex && ComplaintOf(location.Arguments[^1]) is { } complaint)
            {
                Add(errors, location, $"the expression '{location.Arguments[^1]}' is wrong: {complaint}");
            }
        }

        NginxDirective? root = parent.All("root").FirstOrDefault();
        NginxDirective? alias = parent.All("alias").FirstOrDefault();
        if (root is not null && alias is not null)
        {
            Add(errors, root.Order > alias.Order ? root : alias, "root and alias stand in one block");
        }
    }

    private static void CheckNesting(NginxDirective outer, NginxDirective location, List<NginxError> errors)
    {
        if (outer.Name != "location" || location.Arguments.Count == 0 || outer.Arguments.Count == 0)
        {
            return;
        }

        string path = location.Arguments[^1];
        string around = outer.Arguments[^1];
        if (path.StartsWith('@') && location.Arguments.Count == 1)
        {
            Add(errors, location, $"the location {path} has a name, and stands in another location");
        }
        else if (outer.Argument(0) == "=" || around.StartsWith('@'))
        {
            Add(errors, location, $"the location {path} stands in {around}, which can hold none");
        }
        else if (!location.Argument(0).StartsWith('~') && !path.StartsWith(around, StringComparison.Ordinal))
        {
            Add(errors, location, $"the location {path} is not below {around}, in which it stands");
        }
    }

    /// <summary>Finds mistakes that nginx finds at the end, when it has read all files.</summary>
    private static void CheckWhole(NginxDirective root, List<NginxError> errors)
    {
        NginxDirective[] https = [.. root.All("http")];
        if (!root.All("events").Any()
            && root.Children!.Any(static directive => directive.Name is not ("http" or "stream" or "mail")))
        {
            errors.Add(AtEnd(
                root.Place, "there is no events block; nginx does not start", "Add events { } beside http."));
        }

        foreach (NginxDirective http in https)
        {
            CheckBuffers(new NginxScope(http, null), http.Place with { Line = http.ClosingLine }, errors);
            CheckVariables(http, errors);
            CheckZones(http, errors);
        }
    }

    /// <summary>Finds undefined zones of caches and limits.</summary>
    private static void CheckZones(NginxDirective http, List<NginxError> errors)
    {
        const string Zone = "zone=";
        NginxDirective[] all = [.. http.WithDescendants()];
        HashSet<string> defined =
        [
            .. all.Where(static line => line.Name.EndsWith("_cache_path", StringComparison.Ordinal)
                || line.Name is "limit_req_zone" or "limit_conn_zone")
                .SelectMany(static line => line.Arguments)
                .Where(static argument => argument.Contains(Zone, StringComparison.Ordinal))
                .Select(static argument =>
                    argument[(argument.IndexOf(Zone, StringComparison.Ordinal) + Zone.Length)..].Split(':')[0]),
        ];
        foreach (NginxDirective line in all)
        {
            string? zone = line.Name switch
            {
                "fastcgi_cache" or "scgi_cache" or "proxy_cache" or "uwsgi_cache" when line.Argument(0) != "off" =>
                    line.Argument(0),
                "limit_conn" => line.Argument(0),
                "limit_req" => line.Arguments.FirstOrDefault(static argument =>
                    argument.StartsWith(Zone, StringComparison.Ordinal))?[Zone.Length..],
                _ => null,
            };
            if (zone is not null && !zone.Contains('$') && !defined.Contains(zone))
            {
                string kind = line.Name.StartsWith("limit_", StringComparison.Ordinal) ? "zone" : "path";
                errors.Add(AtEnd(
                    line.Place,
                    $"nothing defines the zone {zone}; nginx does not start",
                    $"Add {line.Name}_{kind} with it to http {{ }}."));
            }
        }
    }

    /// <summary>
    /// Finds buffer sizes that nginx's default of fastcgi_busy_buffers_size (twice the larger one) does not fit.
    /// </summary>
    private static void CheckBuffers(NginxScope scope, NginxPlace? named, List<NginxError> errors)
    {
        foreach (string module in (string[])["fastcgi", "scgi", "proxy", "uwsgi"])
        {
            NginxDirective? head = scope.Block.All($"{module}_buffer_size").LastOrDefault();
            NginxDirective? buffers = scope.Block.All($"{module}_buffers").LastOrDefault();
            if ((head ?? buffers) is not { } changed || scope.Find($"{module}_busy_buffers_size") is not null)
            {
                continue;
            }

            long headSize = NginxScope.ParseSize(scope.Find($"{module}_buffer_size")?.Argument(0) ?? "4k") ?? 0;
            long number = NginxScope.ParseSize(scope.Find($"{module}_buffers")?.Argument(0) ?? "8") ?? 0;
            long size = NginxScope.ParseSize(scope.Find($"{module}_buffers")?.Argument(1) ?? "4k") ?? 0;
            if (2 * Math.Max(headSize, size) > (number - 1) * size)
            {
                errors.Add(AtEnd(
                    changed.Place,
                    $"{module}_buffer_size ({headSize} bytes) is too large for {module}_buffers ({number} of " +
                    $"{size}); nginx does not start",
                    $"Write {module}_buffer_size 32k; and {module}_buffers 16 32k;",
                    named));
                return;
            }
        }

        foreach (NginxDirective child in scope.Block.Children!.Where(static child =>
            child.Name is "server" or "location" or "if" && child.Children is not null))
        {
            CheckBuffers(new NginxScope(child, scope), named, errors);
        }
    }

    private static void CheckVariables(NginxDirective http, List<NginxError> errors)
    {
        NginxDirective[] all = [.. http.WithDescendants()];
        // Other modules define variables in their own ways.
        if (all.Any(static directive => !IsKnown(directive.Name) && directive.Children is null
            && IsOfOtherModule(directive.Name)))
        {
            return;
        }

        var defined = new HashSet<string>(StringComparer.Ordinal);
        foreach (NginxDirective directive in all)
        {
            foreach (string argument in directive.Arguments.Append(directive.Name)
                .Where(static argument => argument.Contains("(?", StringComparison.Ordinal)))
            {
                defined.UnionWith(Capture().Matches(argument).Select(static match => match.Groups[1].Value));
            }

            defined.UnionWith(directive.Name switch
            {
                "map" or "split_clients" => [directive.Argument(1).TrimStart('$')],
                "geo" => [directive.Arguments is [.., var last] ? last.TrimStart('$') : ""],
                "auth_request_set" or "set" or "perl_set" or "js_set" or "js_var" =>
                    [directive.Argument(0).TrimStart('$')],
                "set_by_lua" or "set_by_lua_block" or "set_by_lua_file" => [directive.Argument(0).TrimStart('$')],
                "userid" => ["uid_got", "uid_set", "uid_reset"],
                _ => [],
            });
        }

        foreach (NginxDirective directive in all)
        {
            if (!s_expanding.TryGetValue(directive.Name, out int first))
            {
                continue;
            }

            if (directive.Arguments.Skip(first).Where(static argument => argument.Contains('$')).SelectMany(VariablesIn)
                .FirstOrDefault(name =>
                !defined.Contains(name) && !IsVariable(name)) is { } unknown)
            {
                errors.Add(AtEnd(
                    directive.Place,
                    $"nothing defines the variable ${unknown}; nginx does not start",
                    unknown == "host_port"
                        ? $"Add to http {{ }}: {HostPortMap}"
                        : $"Correct the name, or define ${unknown} by map or set."));
            }
        }
    }

    private static char BlockOf(NginxDirective directive, char block) => (directive.Name, block) switch
    {
        (_, Data or Unknown) => block,
        ("http", _) => 'h',
        ("events", _) => 'e',
        ("stream", _) => 'H',
        ("mail", _) => 'M',
        ("server", 'h') => 's',
        ("server", 'H') => 'S',
        ("server", 'M') => 'N',
        ("upstream", 'h') => 'u',
        ("upstream", 'H') => 'U',
        ("location", _) => 'l',
        ("if", 's') => 'i',
        ("if", _) => 'j',
        ("limit_except", _) => 'x',
        _ => s_dataBlocks.Contains(directive.Name) ? Data : Unknown,
    };

    private static bool IsOfOtherModule(string name) =>
        name.All(static c => char.IsAsciiLetterOrDigit(c) || c == '_')
            && s_otherModules.Any(begin => name.StartsWith(begin, StringComparison.OrdinalIgnoreCase))
            && (name.Length < 5 || Spelling.Nearest(name, KnownNames, most: 1) is null);

    private static bool IsSingle(NginxDirective directive, Rule rule) =>
        rule.Kind != "-" || s_single.Contains(directive.Name);

    private static string? PlaceFor(string name)
    {
        string blocks = string.Concat(s_table.Rules[name].Select(static rule => rule.Blocks));
        string? place = blocks.Contains('l') ? "location" : blocks.Contains('s') ? "server"
            : blocks.Contains('h') ? "http" : blocks.Contains('u') ? "upstream"
            : blocks.Contains('m') ? "the main file, outside of blocks" : null;
        return place is null ? null : $"It belongs into {place}.";
    }

    private static string? ComplaintOf(string expression)
    {
        try
        {
            _ = new Regex(expression.Replace("(?P<", "(?<", StringComparison.Ordinal));
            return null;
        }
        catch (RegexParseException exception) when (exception.Error is RegexParseError.InsufficientClosingParentheses
            or RegexParseError.InsufficientOpeningParentheses or RegexParseError.UnterminatedBracket
            or RegexParseError.QuantifierAfterNothing)
        {
            return exception.Error switch
            {
                RegexParseError.InsufficientClosingParentheses => "a ) is missing",
                RegexParseError.InsufficientOpeningParentheses => "a ( is missing",
                RegexParseError.UnterminatedBracket => "a ] is missing",
                _ => "a quantifier follows nothing",
            };
        }
        catch (RegexParseException)
        {
            // nginx's expressions have more features.
            return null;
        }
    }

    /// <summary>Names a character that looks like a space or a quote, but is none for nginx.</summary>
    public static string? OddCharacter(string word) => word.AsSpan().IndexOfAny(s_odd) switch
    {
        < 0 => null,
        var at when word[at] == '\u00A0' => "a no-break space (U+00A0)",
        var at => $"the character U+{(int)word[at]:X4}",
    };

    /// <summary>A mistake that nginx finds when it has read all files. It names the line or none.</summary>
    private static NginxError AtEnd(NginxPlace place, string message, string remedy, NginxPlace? named = null) =>
        new(place, message, remedy) { Named = named };

    private static void Add(List<NginxError> errors, NginxDirective directive, string message, string? remedy = null) =>
        errors.Add(new NginxError(directive.Place, message, remedy)
        {
            Named = directive.Place with { Line = directive.EndLine },
            Order = directive.Order,
        });

    private static (ILookup<string, Rule> Rules, FrozenSet<string> Variables, string[] Families) Load()
    {
        using Stream stream = typeof(NginxGrammar).Assembly.GetManifestResourceStream("directives.txt")!;
        using var reader = new StreamReader(stream);
        string[] lines = [.. reader.ReadToEnd().Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Where(static line => line[0] != '#')];
        string[] variables = [.. lines.Where(static line => line[0] == '$').Select(static line => line[1..])];
        return (
            lines.Where(static line => line[0] != '$').Select(static line => line.Split(' '))
                .ToLookup(static words => words[0], static words => new Rule(words[1], words[2], words[3])),
            variables.Where(static name => name[^1] != '_').ToFrozenSet(),
            [.. variables.Where(static name => name[^1] == '_')]);
    }

    [GeneratedRegex(@"\$\{?([A-Za-z_][A-Za-z0-9_]*)")]
    private static partial Regex Variable();

    [GeneratedRegex(@"\(\?P?<([A-Za-z_][A-Za-z0-9_]*)>|\(\?'([A-Za-z_][A-Za-z0-9_]*)'")]
    private static partial Regex Capture();

    [GeneratedRegex(@"^(?:\d+(?:ms|[yMwdhms])? *)+$")]
    private static partial Regex Time();

    /// <param name="Blocks">The letters of the blocks in which it is allowed.</param>
    /// <param name="Arguments">The number: <c>1,2</c>, <c>1+</c>, <c>*</c> or <c>flag</c>; a brace for a block.</param>
    /// <param name="ValueKind">The kind of its value; a dash if it is not checked.</param>
    private sealed record Rule(string Blocks, string Arguments, string ValueKind)
    {
        public bool IsBlock { get; } = Arguments.EndsWith('{');

        public string Kind { get; } = Arguments == "flag" ? "flag" : ValueKind;

        public bool Takes(int count) => Arguments[0] switch
        {
            '*' => true,
            'f' => count == 1,
            _ when Arguments.Contains('+') => count >= Arguments[0] - '0',
            _ => count <= MaxArguments && Arguments.Contains((char)('0' + count)),
        };

        public string Describe() => Arguments.TrimEnd('{') switch
        {
            "flag" => "one, on or off",
            "1+" => "one or more",
            "2+" => "two or more",
            "0" => "none",
            var numbers => numbers.Replace(",", " or ", StringComparison.Ordinal),
        };
    }
}

using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;

namespace FastCgi.Tool.Tests.Doctor;

/// <summary>The doctor calls a file broken if and only if <c>nginx -t</c> does, and names the same line.</summary>
public sealed partial class SyntaxOracleTests
{
    private const int MutationsOfOneFile = 12;
    private const string LuaModule = "/usr/lib/nginx/modules/ngx_http_lua_module.so";
    private const string Ndk = "/usr/lib/nginx/modules/ndk_http_module.so";
    private const string Marks = "{};\"'\\#$ \n";

    /// <summary>What nginx finds in the values of directives, of which the doctor reads few.</summary>
    private static readonly string[] s_values =
    [
        "invalid parameter", "host not found", "unknown log format", "zero size shared memory", "invalid port",
        "invalid condition", "invalid return code", "invalid URL prefix", "invalid variable", "invalid host",
        "invalid inactive value", "invalid network", "invalid address", "pcre", "is unknown", "unknown size",
        "conflicting", "no port in", "duplicate listen", "duplicate network", "closing bracket", "invalid rate",
        "invalid keys zone", "invalid event", "duplicate extension", "invalid number of the",
        "directive invalid value", "invalid time value", "invalid code",
    ];

    public static TheoryData<string> Files => CorpusFile.Names;

    /// <summary>Directives that nginx takes once for each block.</summary>
    public static TheoryData<string> Singles =>
    [
        "aio threads", "auth_basic off", "auth_basic_user_file /a", "auth_request off", "charset utf-8",
        "client_body_temp_path /tmp/a", "dav_access user:rw", "directio 1m", "disable_symlinks off", "expires 1h",
        "fastcgi_bind 127.0.0.1", "fastcgi_cache off", "fastcgi_cache_key a", "fastcgi_limit_rate 1k",
        "fastcgi_store on", "fastcgi_store_access user:rw", "fastcgi_temp_path /tmp/a", "internal",
        "keepalive_timeout 1s", "limit_except GET { }", "limit_rate 1k", "limit_rate_after 1k", "open_file_cache off", "proxy_bind off",
        "proxy_cache off", "proxy_cache_key a", "proxy_limit_rate 1k", "proxy_method GET", "proxy_store on",
        "proxy_store_access user:rw", "proxy_temp_path /tmp/a", "real_ip_header X-A", "resolver 127.0.0.1",
        "scgi_bind 127.0.0.1", "scgi_cache off", "scgi_cache_key a", "scgi_limit_rate 1k", "scgi_store on",
        "scgi_store_access user:rw", "scgi_temp_path /tmp/a", "source_charset utf-8", "try_files $uri =404",
        "userid_expires 1h", "grpc_pass 127.0.0.1:1", "uwsgi_pass 127.0.0.1:1",
    ];

    public static TheoryData<string, string> Snippets => new()
    {
        { "escaped braces", "location ~ ^/a\\{x\\}$ { return 404; } rewrite ^/b\\;c$ /d last;" },
        { "quotes", "add_header A \"it's\"; add_header B 'a \"b\" c'; add_header C \"a;b{c}\";" },
        { "quote in a word", "add_header A b\"c; add_header D e'f;" },
        { "no space behind a quote", "add_header A \"b\"c;" },
        { "bracket behind a quote", "if ($uri ~ \"x\") { return 404; }" },
        { "variable in braces", "add_header A ${host}b; add_header B \"${uri}\";" },
        { "open variable", "add_header A ${host;" },
        { "comment", "# a { comment ; with \" and '\nadd_header A b; # } another\n" },
        { "no comment", "add_header A b#c;" },
        { "escaped space", "add_header A b\\ c;" },
        { "escaped end", "add_header A b\\;\nadd_header C d;" },
        { "carriage returns", "add_header A b;\r\nadd_header C d;\r\n" },
        { "form feed", "add_header A\fb;" },
        { "no-break space", "add_header\u00a0A b;" },
        { "no-break space in a value", "add_header A b\u00a0;" },
        { "empty words", "add_header A \"\"; add_header B '';" },
        { "missing semicolon", "add_header A b\nadd_header C d\n" },
        { "missing brace", "location /a { return 404;" },
        { "two braces", "location /a { return 404; } }" },
        { "block without braces", "location /a;" },
        { "braces without a block", "root /a { }" },
        { "semicolon alone", ";" },
        { "brace alone", "{ }" },
        { "unknown directive", "fastcgi_redirect off;" },
        { "typing error", "location /a { fastcgi_pas 127.0.0.1:1; }" },
        { "wrong block", "fastcgi_pass 127.0.0.1:1;" },
        { "wrong block of a server", "upstream x { server 127.0.0.1:1; }" },
        { "too many arguments", "root /a /b;" },
        { "too few arguments", "root;" },
        { "no flag", "location /a { fastcgi_keep_conn yes; }" },
        { "no size", "client_max_body_size 1x;" },
        { "no time", "location /a { fastcgi_read_timeout soon; }" },
        { "twice", "root /a;\nroot /b;" },
        { "two passes", "location /a {\nfastcgi_pass 127.0.0.1:1;\nfastcgi_pass 127.0.0.1:2;\n}" },
        { "two locations", "location /a { }\nlocation /a { }" },
        { "same path, two kinds", "location /a { }\nlocation = /a { }\nlocation ~ /a { }" },
        { "modifier", "location => /a { }" },
        { "expression", "location ~ ^/(a { return 404; }" },
        { "brace in an expression", "location ~ ^/a{2}$ { return 404; }" },
        { "quoted brace in an expression", "location ~ \"^/a{2}$\" { return 404; }" },
        { "nothing to repeat", "location ~ *.php$ { return 404; }" },
        { "root and alias", "location /a {\nroot /b;\nalias /c;\n}" },
        { "third argument", "location /a {\nfastcgi_param A b always;\n}" },
        { "missing include", "include nothing.conf;" },
        { "glob without files", "include nothing*.conf;" },
        { "directory", "include snippets;" },
        { "include of two", "include fastcgi_params scgi_params;" },
        { "unknown variable", "add_header A $nothing_at_all;" },
        { "variable of an expression", "location ~ ^/(?<part>a) { add_header A $part; }" },
        { "head buffer alone", "location /a { fastcgi_buffer_size 32k; fastcgi_pass 127.0.0.1:1; }" },
        { "no upstream", "location /a { fastcgi_pass backend; }" },
        { "URL", "location /a { fastcgi_pass http://127.0.0.1:1; }" },
        { "long word", $"add_header A {new string('b', 4090)};" },
        { "longer word", $"add_header A {new string('b', 4096)};" },
        { "long comment", $"# {new string('b', 5000)}\nadd_header A b;" },
        { "no zone", "location /a { fastcgi_cache none; fastcgi_pass 127.0.0.1:1; }" },
        { "no zone of a limit", "limit_req zone=none;" },
        { "many lines", "add_header\n    A\n    b\n    c\n    d;" },
    };

    [Theory]
    [MemberData(nameof(Files))]
    public async Task A_file_of_the_corpus_is_judged_as_nginx_judges_it(string name)
    {
        using var site = new SyntaxSite();
        Assert.Null(await site.CompareAsync(CorpusFile.Read(name).Text));
    }

    [Theory]
    [MemberData(nameof(Snippets))]
    public async Task A_line_is_judged_as_nginx_judges_it(string name, string lines)
    {
        using var site = new SyntaxSite();
        var difference = await site.CompareAsync($"server {{\nlisten 80;\n{lines}\n}}\n");
        Assert.True(difference is null, $"{name}: {difference}");
    }

    [Theory]
    [MemberData(nameof(Singles))]
    public async Task A_directive_that_is_allowed_once_is_judged_as_nginx_judges_it(string directive)
    {
        using var site = new SyntaxSite();
        var line = directive.EndsWith('}') ? directive : $"{directive};";
        Assert.Null(await site.CompareAsync($"server {{\nlocation / {{\n{line}\n}}\n}}\n"));
        Assert.Null(await site.CompareAsync($"server {{\nlocation / {{\n{line}\n{line}\n}}\n}}\n"));
    }

    /// <summary>Quotes, escapes, braces, comments and includes, put in and taken out at random.</summary>
    [Theory]
    [MemberData(nameof(Files))]
    public async Task A_mutation_is_judged_as_nginx_judges_it(string name)
    {
        using var site = new SyntaxSite();
        var text = CorpusFile.Read(name).Text;
        await AssertMutationsAsync(site, text, new Random(name.Sum(static c => c)));
    }

    /// <summary>The module of Lua finds the end of a block by the rules of Lua.</summary>
    [Theory]
    [InlineData("strings")]
    [InlineData("comments")]
    [InlineData("long-strings")]
    [InlineData("apostrophe")]
    public async Task A_block_of_Lua_is_judged_as_nginx_judges_it(string name)
    {
        InstalledProgram.RequireFile(LuaModule);
        using var site = new SyntaxSite($"load_module {Ndk};\nload_module {LuaModule};");
        var text = CorpusFile.Read($"Lua/{name}.conf").Text;
        Assert.Null(await site.CompareAsync(text));
        await AssertMutationsAsync(site, text, new Random(name.Length));
    }

    [Theory]
    [InlineData(new byte[] { 0xEF, 0xBB, 0xBF }, "UTF-8", "byte order mark")]
    [InlineData(new byte[] { 0xFF, 0xFE }, "UTF-16", "UTF-16")]
    [InlineData(new byte[0], "UTF-16BE", "UTF-16")]
    public async Task A_file_in_another_encoding_is_named(byte[] mark, string encoding, string words)
    {
        using var site = new SyntaxSite();
        byte[] bytes = [.. mark, .. Encoding.GetEncoding(encoding).GetBytes("server { listen 80; }\n")];

        Assert.Null(await site.CompareAsync(bytes));
        Assert.Contains(words, (await ToolRun.OfAsync("doctor", site.File)).Output, StringComparison.Ordinal);
    }

    /// <summary>What takes the place of a line for proxy_pass is a directive that the real nginx has.</summary>
    [Fact]
    public async Task The_advice_for_a_line_of_proxy_pass_names_directives_that_nginx_has()
    {
        using var site = new SyntaxSite();
        await using var table = typeof(ToolTerminal).Assembly.GetManifestResourceStream("directives.txt")!;
        using var reader = new StreamReader(table);
        var names = (await reader.ReadToEndAsync()).Split('\n').Select(static line => line.Split(' ')[0])
            .Where(static name => name.StartsWith("proxy_", StringComparison.Ordinal)
                && name is not ("proxy_pass" or "proxy_protocol" or "proxy_set_header"))
            .Distinct().ToArray();
        var lines = string.Join('\n', names.Select(static name => $"{name} on;"));
        await File.WriteAllTextAsync(
            site.File, $"location / {{\nfastcgi_pass 127.0.0.1:9000;\n{lines}\n}}\n");
        var run = await ToolRun.OfAsync("doctor", site.File, "--json");
        var advice = run.Json["findings"]!.AsArray().Concat(run.Json["hints"]!.AsArray())
            .Where(static finding => (string)finding!["rule"]! == "proxy-directive")
            .Select(static finding => (string)finding!["remedy"]!).ToArray();

        Assert.True(advice.Length > 60, $"{advice.Length} of {names.Length}");
        foreach (var directive in advice.SelectMany(static text => Directive().Matches(text))
            .Select(static match => match.Value).Distinct())
        {
            var proxy = $"proxy_{directive[(directive.IndexOf('_', StringComparison.Ordinal) + 1)..]}";
            // Newer than the nginx of this machine, as its counterpart is.
            if (!await site.KnowsAsync(proxy))
            {
                continue;
            }

            Assert.True(await site.KnowsAsync(directive), $"nginx has no {directive}");
        }
    }

    private static async Task AssertMutationsAsync(SyntaxSite site, string text, Random random)
    {
        for (var i = 0; i < MutationsOfOneFile; i++)
        {
            var mutation = Mutate(text, random);
            var difference = await site.CompareAsync(mutation);
            Assert.True(difference is null, $"{difference}\n{mutation}");
        }
    }

    private static bool IsOfValue(string refusal) =>
        s_values.Any(value => refusal.Contains(value, StringComparison.Ordinal)) || UnknownWord().IsMatch(refusal);

    private static string Mutate(string text, Random random)
    {
        var at = random.Next(text.Length);
        var mark = text.IndexOfAny(Marks[..7].ToCharArray(), at);
        return random.Next(6) switch
        {
            0 or 1 when mark >= 0 => text.Remove(mark, 1),
            2 when mark >= 0 => text.Insert(mark, Marks[random.Next(Marks.Length)].ToString()),
            3 => text.Insert(at, Marks[random.Next(Marks.Length)].ToString()),
            4 => text[..at],
            _ when text.IndexOf('\n', at) is >= 0 and var line => text.Insert(
                line, random.Next(2) == 0 ? "\n}" : "\ninclude none.conf;"),
            _ => text.Insert(at, "{"),
        };
    }

    [GeneratedRegex(@"\[(?:emerg|crit)\] \d+#\d+: (.*)")]
    private static partial Regex Refusal();

    /// <summary>A word that a directive with few words does not know; on and off are known.</summary>
    [GeneratedRegex("^invalid value \"[^\"]*\" in /")]
    private static partial Regex UnknownWord();

    [GeneratedRegex("fastcgi_[a-z_]+")]
    private static partial Regex Directive();

    [GeneratedRegex(@" in (/\S+):(\d+)$")]
    private static partial Regex RefusedPlace();

    /// <summary>A folder as /etc/nginx, in which a site is tried.</summary>
    private sealed class SyntaxSite : IDisposable
    {
        private readonly WorkDirectory _directory = new();
        private readonly string _nginx = InstalledProgram.Find("nginx");

        /// <param name="main">Further lines of the main file.</param>
        public SyntaxSite(string main = "")
        {
            CorpusSite.Link(_directory);
            System.IO.File.WriteAllText(_directory.File("nginx.conf"), $$"""
                pid {{_directory.File("nginx.pid")}};
                error_log stderr;
                {{main}}
                events { }
                http {
                    access_log off;
                    map $http_host $host_port { default ""; }
                    include site.conf;
                }
                """);
        }

        public string File => _directory.File("site.conf");

        public void Dispose() => _directory.Dispose();

        public async Task<bool> KnowsAsync(string directive)
        {
            await System.IO.File.WriteAllTextAsync(File, $"server {{ location / {{ {directive}; }} }}\n");
            var (refusal, _, _) = await AskNginxAsync();
            return refusal?.Contains("unknown directive", StringComparison.Ordinal) != true;
        }

        /// <returns>What the doctor says otherwise than nginx; null if they agree.</returns>
        public async Task<string?> CompareAsync(string text)
        {
            // The ports stay free, the certificates unread.
            text = Regex.Replace(text, @"ssl_certificate(_key)? [^;]+;", "");
            text = text.Replace("443 ssl http2", "8443", StringComparison.Ordinal)
                .Replace("DIRECTORY", _directory.Path, StringComparison.Ordinal)
                .Replace("HTTPPORT", "127.0.0.1:81", StringComparison.Ordinal);
            return await CompareAsync(Encoding.UTF8.GetBytes(text));
        }

        public async Task<string?> CompareAsync(byte[] bytes)
        {
            await System.IO.File.WriteAllBytesAsync(File, bytes);
            var (refusal, file, line) = await AskNginxAsync();
            var run = await ToolRun.OfAsync("doctor", _directory.File("nginx.conf"), "--json");
            var errors = run.Json["findings"]!.AsArray()
                .Where(static finding => (string)finding!["rule"]! is "syntax" or "pass-url").ToArray();
            var said = errors.Length == 0 ? "nothing" : errors[0]!.ToJsonString();
            if (refusal is null)
            {
                return errors.Length == 0 ? null : $"nginx starts, and the doctor says {said}";
            }

            if (errors.Length == 0)
            {
                return IsOfValue(refusal)
                    ? null
                    : $"nginx says '{refusal}' at {line}, and the doctor nothing";
            }

            var isSame = line is null
                || IsOfValue(refusal)
                || ((string)errors[0]!["file"]! == file && (int)errors[0]!["line"]! == line)
                || new[] { $"nginx -t names line {line}.", $"nginx -t names {file}:{line}." }.Any(place =>
                    ((string)errors[0]!["problem"]!).Contains(place, StringComparison.Ordinal));
            return isSame ? null : $"nginx says '{refusal}' at {file}:{line}, and the doctor {said}";
        }

        private async Task<(string? Refusal, string? File, int? Line)> AskNginxAsync()
        {
            var (exitCode, output) = await ChildProcess.RunAsync(
                _nginx,
                ["-t", "-e", "stderr", "-p", _directory.Path, "-c", _directory.File("nginx.conf")],
                _directory.Path);
            if (exitCode == 0)
            {
                return default;
            }

            var refusal = Refusal().Match(output.ToString()).Groups[1].Value;
            var place = RefusedPlace().Match(refusal);
            return place.Success
                ? (refusal, place.Groups[1].Value, int.Parse(place.Groups[2].Value, CultureInfo.InvariantCulture))
                : (refusal, null, null);
        }
    }
}

namespace FastCgi.AspNetCore.Tests.Hosting;

public class ConfigurationTests
{
    [Fact]
    public void Every_option_can_be_written_in_the_section()
    {
        var options = Read("""
            {
              "AddServerHeader": true, "AllowSynchronousIO": "True", "ClientCertificateParameter": "SSL_CLIENT_CERT",
              "DisableStringReuse": true, "SlowRequestAfter": "00:00:05", "TraceIdentifierParameter": "REQUEST_ID",
              "ExitWhenIdleFor": "00:10:00", "ExitAfterRequests": 5000, "ExitAboveMemory": 300000000,
              "PathBase": "/app", "PathBaseFromScriptName": true,
              "TargetSource": "scriptNameAndPathInfo", "ThreadCount": 3, "Transport": "Sockets",
              "Status": {
                "Path": "/status", "PingPath": "/ping", "Endpoint": "127.0.0.1:9001", "UnixMode": "0660",
                "UnixGroup": "www-data", "AllowedClients": ["127.0.0.1", "10.0.0.0/8"]
              },
              "Limits": {
                "KeepAliveTimeout": "00:02:00", "MaxConcurrentConnections": 1, "MaxConcurrentRequests": 2,
                "MaxConcurrentRequestsPerConnection": 3, "MaxRequestBodySize": 4, "MaxRequestBufferSize": 5,
                "MaxRequestHeaderCount": 6, "MaxRequestHeadersTotalSize": 7, "MaxRequestLineSize": 8,
                "MaxRequestParameterCount": 10, "MaxRequestParametersTotalSize": 9, "MaxResponseBufferSize": 0,
                "RequestBodyDrainTimeout": "00:00:01",
                "RequestHeadersTimeout": "null", "RequestTimeout": "00:01:00"
              }
            }
            """);

        Assert.True(options.AddServerHeader && options.AllowSynchronousIO && options.DisableStringReuse);
        Assert.Equal("SSL_CLIENT_CERT", options.ClientCertificateParameter);
        Assert.Equal("/app", options.PathBase.Value);
        Assert.True(options.PathBaseFromScriptName);
        Assert.Equal(FastCgiTargetSource.ScriptNameAndPathInfo, options.TargetSource);
        Assert.Equal(3, options.ThreadCount);
        Assert.Equal(FastCgiTransport.Sockets, options.Transport);
        Assert.Equal((5, "REQUEST_ID"), (options.SlowRequestAfter?.TotalSeconds, options.TraceIdentifierParameter));
        Assert.Equal(
            (10, 5000, 300_000_000),
            (options.ExitWhenIdleFor?.TotalMinutes, options.ExitAfterRequests, options.ExitAboveMemory));
        Assert.Equal(60, options.Limits.RequestTimeout.TotalSeconds);
        var status = options.Status;
        Assert.Equal(("/status", "/ping", "127.0.0.1:9001"), (status.Path, status.PingPath, status.Endpoint));
        Assert.Equal(((UnixFileMode)0b110_110_000, "www-data"), (status.UnixMode, status.UnixGroup));
        Assert.Equal("127.0.0.1/32, 10.0.0.0/8", string.Join(", ", status.AllowedClients));
        var limits = options.Limits;
        Assert.Equal(TimeSpan.FromMinutes(2), limits.KeepAliveTimeout);
        Assert.Equal((1, 2), (limits.MaxConcurrentConnections, limits.MaxConcurrentRequests));
        Assert.Equal(3, limits.MaxConcurrentRequestsPerConnection);
        Assert.Equal((4, 5), (limits.MaxRequestBodySize, limits.MaxRequestBufferSize));
        Assert.Equal((6, 7), (limits.MaxRequestHeaderCount, limits.MaxRequestHeadersTotalSize));
        Assert.Equal((8, 9), (limits.MaxRequestLineSize, limits.MaxRequestParametersTotalSize));
        Assert.Equal(10, limits.MaxRequestParameterCount);
        Assert.Equal(0, limits.MaxResponseBufferSize);
        Assert.Equal(TimeSpan.FromSeconds(1), limits.RequestBodyDrainTimeout);
        Assert.Equal(Timeout.InfiniteTimeSpan, limits.RequestHeadersTimeout);
        Assert.Empty(options.UnknownKeys);
    }

    [Theory]
    [InlineData("null", null, 0)]
    [InlineData("\"\"", null, 0)]
    [InlineData("{ \"BytesPerSecond\": 10 }", 10, 5)]
    [InlineData("{ \"GracePeriod\": \"00:00:09\" }", 240, 9)]
    [InlineData("{ \"bytesPerSecond\": 10, \"GracePeriod\": \"00:00:09\" }", 10, 9)]
    public void The_least_rate_of_a_body_is_a_section_or_null(string value, int? bytes, int seconds)
    {
        var options = Read($"{{ \"Limits\": {{ \"MinRequestBodyDataRate\": {value} }} }}");

        var rate = options.Limits.MinRequestBodyDataRate;
        Assert.Equal(bytes, (int?)rate?.BytesPerSecond);
        Assert.Equal(TimeSpan.FromSeconds(seconds), rate?.GracePeriod ?? TimeSpan.Zero);
        Assert.Empty(options.UnknownKeys);
    }

    [Theory]
    [InlineData("240", "MinRequestBodyDataRate = '240'")]
    [InlineData("{ \"BytesPerSecond\": 0 }", "MinRequestBodyDataRate = ''")]
    [InlineData("{ \"BytesPerSecond\": 10, \"GracePeriod\": \"00:00:01\" }", "MinRequestBodyDataRate = ''")]
    [InlineData("{ \"Rate\": 10 }", "MinRequestBodyDataRate:Rate = '10'")]
    public void A_rate_that_makes_no_sense_is_refused(string value, string named)
    {
        var refused = Assert.Throws<InvalidOperationException>(
            () => Read($"{{ \"Limits\": {{ \"MinRequestBodyDataRate\": {value} }} }}"));

        Assert.Contains($"FastCgi:Limits:{named}", refused.Message, StringComparison.Ordinal);
        Assert.Contains("BytesPerSecond", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Folders_whose_files_the_web_server_sends_can_be_written_in_the_section()
    {
        var options = Read("""
            { "Endpoints": { "A": { "Url": "/run/a.sock", "FileHandover": {
                "XAccelRedirect": { "Photos": { "Directory": "/srv/photos", "UriPrefix": "/_photos/" },
                                    "Music": { "Directory": "/srv/music/", "UriPrefix": "/_music" } },
                "XSendfile": [ "/srv/a", "/srv/b" ],
                "RelayedHeaders": "Vary, X-Content-Type-Options" } } } }
            """);

        string[] files = ["/srv/photos/x", "/srv/music/x", "/srv/a/x", "/srv/b/x", "/srv/x"];
        var handover = Assert.Single(options.GetEndpoints()).FileHandover;
        Assert.Equal(
            ["/_photos/x", "/_music/x", "/srv/a/x", "/srv/b/x", null],
            files.Select(file => handover.Folders!.Find(file, out _)?.HeaderValue));
        Assert.Equal(["Vary", "X-Content-Type-Options"], handover.RelayedHeaders.Order());
        Assert.Empty(options.UnknownKeys);
    }

    [Fact]
    public void An_endpoints_own_hand_over_takes_the_place_of_the_default_one()
    {
        var options = Read("""
            { "EndpointDefaults": { "FileHandover": { "XSendfile": "/srv/a", "RelayedHeaders": [ "Vary" ] } },
              "Endpoints": { "A": { "Url": "/run/a.sock" },
                             "B": { "Url": "/run/b.sock", "FileHandover": { "XSendfile": "/srv/b" } },
                             "C": { "Url": "/run/c.sock", "FileHandover": null },
                             "D": { "Url": "/run/d.sock", "FileHandover": "" } } }
            """);
        options.ListenUnixSocket("/run/code.sock");

        Assert.Equal(
            [
                "/run/code.sock /srv/a/x  Vary", "/run/a.sock /srv/a/x  Vary", "/run/b.sock  /srv/b/x ",
                "/run/c.sock   ", "/run/d.sock   ",
            ],
            options.GetEndpoints().Select(static listen =>
                $"{listen.SocketPath} {Found(listen, "/srv/a/x")} {Found(listen, "/srv/b/x")} " +
                string.Join(',', listen.FileHandover.RelayedHeaders)));

        static string? Found(FastCgiListenOptions listen, string path) =>
            listen.FileHandover.Folders?.Find(path, out _)?.HeaderValue;
    }

    [Theory]
    [InlineData("Mode", "Made")]
    [InlineData("Mode", "Mane")]
    [InlineData("Mode", null)]
    public void A_word_is_proposed_of_which_half_is_right(string word, string? near) =>
        Assert.Equal(near, EditDistance.Nearest(word, near is null ? ["Main"] : ["Unlike", near]));

    [Fact]
    public void An_endpoint_has_its_address_and_what_guards_it()
    {
        var options = Read("""
            { "Endpoints": {
                "Socket": { "Url": "fastcgi://unix:/run/x.sock", "UnixMode": "0660", "UnixOwner": "app",
                            "UnixGroup": "www-data", "Backlog": 99 },
                "Net": { "Url": "fastcgi://10.0.0.1:9001", "AllowedClients": [ "10.0.0.5", "10.1.0.0/16" ] },
                "Open": { "Url": "*:9002", "AllowedClients": "10.0.0.5, 10.0.0.6", "AllowAnyClient": true } } }
            """);

        var endpoints = options.GetEndpoints().ToDictionary(listen => listen.ToString());
        var socket = endpoints["fastcgi://unix:/run/x.sock"];
        Assert.Equal((UnixFileMode)0b110_110_000, socket.UnixMode);
        Assert.Equal(("app", "www-data", 99), (socket.UnixOwner, socket.UnixGroup, socket.Backlog));
        Assert.Equal(
            "10.0.0.5/32, 10.1.0.0/16", string.Join(", ", endpoints["fastcgi://10.0.0.1:9001"].AllowedClients));
        Assert.Equal(
            "10.0.0.5/32, 10.0.0.6/32", string.Join(", ", endpoints["fastcgi://[::]:9002"].AllowedClients));
        Assert.True(endpoints["fastcgi://[::]:9002"].AllowAnyClient);
        Assert.Empty(options.UnknownKeys);
    }

    [Theory]
    [InlineData("0660", 432)]
    [InlineData("660", 432)]
    [InlineData("0", 0)]
    [InlineData("0777", 511)]
    [InlineData("UserRead, UserWrite,groupread,GroupWrite", 432)]
    [InlineData("OtherWrite", 2)]
    [InlineData("null", null)]
    [InlineData("", null)]
    public void A_mode_is_octal_or_names_of_permissions(string text, int? mode)
    {
        var options = Read($$"""{ "Endpoints": { "A": { "Url": "/run/x", "UnixMode": "{{text}}" } } }""");

        Assert.Equal((UnixFileMode?)mode, Assert.Single(options.GetEndpoints()).UnixMode);
    }

    [Fact]
    public void Endpoint_defaults_hold_for_endpoints_of_configuration_and_code_and_give_way_to_their_own_values()
    {
        var options = Read("""
            { "EndpointDefaults": { "UnixMode": 660, "AllowedClients": "10.0.0.5" },
              "Endpoints": { "A": { "Url": "/run/a.sock" },
                             "B": { "Url": "/run/b.sock", "UnixMode": "600" },
                             "C": { "Url": "127.0.0.1:9001" },
                             "D": { "Url": "127.0.0.1:9002", "AllowedClients": "10.0.0.6" } } }
            """);
        options.ConfigureEndpointDefaults(static listen => listen.Backlog = 7);
        options.ListenUnixSocket("/run/code.sock");

        Assert.All(options.GetEndpoints(), static listen => Assert.Equal(7, listen.Backlog));
        Assert.Equal(
            ["/run/code.sock 432 ", "/run/a.sock 432 ", "/run/b.sock 384 ", "  10.0.0.5/32", "  10.0.0.6/32"],
            options.GetEndpoints().Select(static listen =>
                $"{listen.SocketPath} {(int?)listen.UnixMode} {string.Join(',', listen.AllowedClients)}"));
    }

    [Theory]
    [InlineData("null")]
    [InlineData("\"\"")]
    [InlineData("\"null\"")]
    public void Null_and_empty_mean_no_limit_and_never(string json)
    {
        var options = Read($$"""
            { "SlowRequestAfter": {{json}}, "ExitWhenIdleFor": {{json}}, "ExitAfterRequests": {{json}},
              "ExitAboveMemory": {{json}}, "Limits": { "MaxRequestBodySize": {{json}} } }
            """);

        Assert.Null(options.Limits.MaxRequestBodySize);
        Assert.Equal(
            (null, null, null, null),
            (options.SlowRequestAfter, options.ExitWhenIdleFor, options.ExitAfterRequests, options.ExitAboveMemory));
    }

    [Theory]
    [InlineData("""{ "AllowSynchronousIO": "yes" }""", "FastCgi:AllowSynchronousIO = 'yes'", "'true' or 'false'")]
    [InlineData("""{ "AddServerHeader": null }""", "FastCgi:AddServerHeader = ''", "'true' or 'false'")]
    [InlineData("""{ "ThreadCount": 0 }""", "FastCgi:ThreadCount = '0'", "null or at least 1")]
    [InlineData("""{ "ThreadCount": "two" }""", "FastCgi:ThreadCount = 'two'", "a whole number")]
    [InlineData("""{ "Transport": "Libuv" }""", "FastCgi:Transport = 'Libuv'", "Default, Epoll, Sockets")]
    [InlineData("""{ "Transport": "1" }""", "FastCgi:Transport = '1'", "Default, Epoll, Sockets")]
    [InlineData("""{ "ClientCertificateParameter": "Http_Cert" }""", "FastCgi:ClientCertificateParameter = 'Http_Cert'",
        "only the web server can send, such as SSL_CLIENT_CERT")]
    [InlineData("""{ "PathBase": "app" }""", "FastCgi:PathBase = 'app'", "/")]
    [InlineData("""{ "Limits": "none" }""", "FastCgi:Limits = 'none'", "a section")]
    [InlineData("""{ "Limits": { "MaxRequestBodySize": "30 MB" } }""", "FastCgi:Limits:MaxRequestBodySize = '30 MB'", "whole number or null")]
    [InlineData("""{ "Limits": { "MaxRequestBodySize": -1 } }""", "FastCgi:Limits:MaxRequestBodySize = '-1'", "at least 0")]
    [InlineData("""{ "Limits": { "MaxRequestBodySize": { "a": 1 } } }""", "FastCgi:Limits:MaxRequestBodySize", "one value")]
    [InlineData("""{ "Limits": { "MaxRequestLineSize": "" } }""", "FastCgi:Limits:MaxRequestLineSize = ''", "a whole number")]
    [InlineData("""{ "Limits": { "KeepAliveTimeout": "30" } }""", "FastCgi:Limits:KeepAliveTimeout = '30'", "hh:mm:ss")]
    [InlineData("""{ "Limits": { "KeepAliveTimeout": "24:00:00" } }""", "KeepAliveTimeout = '24:00:00'", "1.00:00:00 is a day")]
    [InlineData("""{ "Limits": { "KeepAliveTimeout": "00:00:00" } }""", "KeepAliveTimeout = '00:00:00'", "longer than zero")]
    [InlineData("""{ "EndpointDefaults": { "UnixMode": "0888" } }""", "FastCgi:EndpointDefaults:UnixMode = '0888'", "octal")]
    [InlineData("""{ "EndpointDefaults": { "UnixMode": "0068" } }""", "UnixMode = '0068'", "octal")]
    [InlineData("""{ "EndpointDefaults": { "UnixMode": "1777" } }""", "UnixMode = '1777'", "0 to 777")]
    [InlineData("""{ "EndpointDefaults": { "UnixMode": "99999999999999" } }""", "UnixMode", "octal")]
    [InlineData("""{ "EndpointDefaults": { "UnixMode": "rw-rw----" } }""", "UnixMode = 'rw-rw----'", "UserRead, UserWrite")]
    [InlineData("""{ "EndpointDefaults": { "UnixMode": "UserRead, SetUser" } }""", "UnixMode = 'UserRead, SetUser'", "octal")]
    [InlineData("""{ "EndpointDefaults": { "UnixMode": "UserRead, 4" } }""", "UnixMode = 'UserRead, 4'", "octal")]
    [InlineData("""{ "EndpointDefaults": { "UnixMode": "," } }""", "UnixMode = ','", "octal")]
    [InlineData("""{ "Endpoints": { "A": { "Backlog": 5 } } }""", "FastCgi:Endpoints:A:Url = ''", "fastcgi://unix:/")]
    [InlineData("""{ "Endpoints": { "A": { "Url": "http://*:80" } } }""", "FastCgi:Endpoints:A:Url = 'http://*:80'", "not HTTP")]
    [InlineData("""{ "Endpoints": { "A": { "Url": "fastcgi://nowhere:9" } } }""", "FastCgi:Endpoints:A:Url", "'nowhere' is neither")]
    [InlineData("""{ "Endpoints": { "A": { "Url": "/run/x", "Backlog": 0 } } }""", "FastCgi:Endpoints:A:Backlog = '0'", "greater than or equal to '1'")]
    [InlineData("""{ "SlowRequestAfter": "00:00:00" }""", "FastCgi:SlowRequestAfter = '00:00:00'", "null (never) or longer than zero")]
    [InlineData("""{ "Status": { "AllowedClients": "127.0.0.1, 10.0.0.0/99" } }""", "FastCgi:Status:AllowedClients", "'10.0.0.0/99' is none")]
    [InlineData("""{ "EndpointDefaults": { "AllowedClients": [ "localhost" ] } }""", "FastCgi:EndpointDefaults:AllowedClients", "'localhost' is none")]
    [InlineData("""{ "Endpoints": { "A": { "Url": "127.0.0.1:9", "AllowedClients": "10" } } }""", "FastCgi:Endpoints:A:AllowedClients = '10'", "an address or a CIDR range")]
    [InlineData("""{ "EndpointDefaults": { "FileHandover": "/srv/a" } }""", "FastCgi:EndpointDefaults:FileHandover = '/srv/a'", "a section")]
    [InlineData("""{ "Endpoints": { "A": { "Url": "/run/x", "FileHandover": { "XSendfile": "files" } } } }""", "FastCgi:Endpoints:A:FileHandover:XSendfile = 'files'", "must be absolute")]
    [InlineData("""{ "EndpointDefaults": { "FileHandover": { "XAccelRedirect": "/srv/a" } } }""", "FileHandover:XAccelRedirect = '/srv/a'", "a section")]
    [InlineData("""{ "EndpointDefaults": { "FileHandover": { "XAccelRedirect": { "A": "/srv/a" } } } }""", "FileHandover:XAccelRedirect:A:Directory = ''", "an absolute path")]
    [InlineData("""{ "EndpointDefaults": { "FileHandover": { "XAccelRedirect": { "A": { "Directory": "/srv/a" } } } } }""", "XAccelRedirect:A:UriPrefix = ''", "a prefix like /_files/")]
    [InlineData("""{ "EndpointDefaults": { "FileHandover": { "XAccelRedirect": { "A": { "Directory": "/srv/a", "UriPrefix": "a" } } } } }""", "XAccelRedirect:A", "begins with a slash")]
    public void A_bad_value_is_an_error_that_names_key_value_and_what_is_accepted(string json, string named, string accepted)
    {
        var exception = Assert.Throws<InvalidOperationException>(() => Read(json).GetEndpoints());

        Assert.Contains(named, exception.Message, StringComparison.Ordinal);
        Assert.Contains(accepted, exception.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("(Parameter", exception.Message, StringComparison.Ordinal);
    }

    /// <summary>A list in a file, and one text in the environment that is meant to replace it.</summary>
    [Theory]
    [InlineData("EndpointDefaults:AllowedClients", "10.0.0.5", "0", "10.0.0.0/8")]
    [InlineData("EndpointDefaults:AllowedClients", "null", "0", "10.0.0.0/8")]
    [InlineData("Status:AllowedClients", "10.0.0.5", "0", "10.0.0.0/8")]
    [InlineData("EndpointDefaults:FileHandover:XSendfile", "/srv/a", "0", "/srv")]
    [InlineData("EndpointDefaults:FileHandover:RelayedHeaders", "Vary", "0", "X-Own")]
    [InlineData("EndpointDefaults:FileHandover", "null", "XSendfile", "/srv")]
    [InlineData("Limits:MinRequestBodyDataRate", "null", "BytesPerSecond", "10")]
    [InlineData("Limits:MaxRequestBodySize", "10", "0", "20")]
    public void A_text_beside_keys_below_it_is_refused(string key, string text, string child, string value)
    {
        var refused = Assert.Throws<InvalidOperationException>(
            () => Read([($"FastCgi:{key}", text), ($"FastCgi:{key}:{child}", value)]).GetEndpoints());

        Assert.Contains($"FastCgi:{key} = '{text}'", refused.Message, StringComparison.Ordinal);
        Assert.Contains($"FastCgi:{key}:{child}", refused.Message, StringComparison.Ordinal);
    }

    /// <summary>Sources write an empty array or section as an empty text.</summary>
    [Theory]
    [InlineData("EndpointDefaults:AllowedClients", "0", "10.0.0.0/8")]
    [InlineData("EndpointDefaults:FileHandover", "XSendfile", "/srv")]
    [InlineData("Limits:MinRequestBodyDataRate", "BytesPerSecond", "10")]
    public void An_empty_text_beside_keys_below_it_is_none(string key, string child, string value) =>
        Assert.Empty(Read([($"FastCgi:{key}", ""), ($"FastCgi:{key}:{child}", value)]).UnknownKeys);

    [Fact]
    public void An_unknown_key_is_told_once_with_the_nearest_known_one()
    {
        var options = Read("""
            { "AllowSyncronousIO": true, "Limit": { "MaxRequestBodySize": 1 }, "Limits": { "MaxBodySize": 1 },
              "EndpointDefaults": { "Url": "/run/x.sock" },
              "Endpoints": { "A": { "Url": "localhost:9001", "Mode": "660", "FileHandover": {
                  "XSendFiles": "/a",
                  "XAccelRedirect": { "A": { "Directory": "/a", "UriPrefix": "/a", "Prefix": "/b" } } } } } }
            """);

        Assert.Equal(2, options.GetEndpoints().Count);
        Assert.Equal(
            [
                ("FastCgi:AllowSyncronousIO", "Did you mean AllowSynchronousIO?"),
                ("FastCgi:EndpointDefaults:Url",
                    "Known are AllowAnyClient, AllowedClients, AllowUpgrade, Backlog, FileHandover, Protocol, UnixGroup, " +
                        "UnixMode, UnixOwner."),
                ("FastCgi:Endpoints:A:FileHandover:XAccelRedirect:A:Prefix", "Did you mean UriPrefix?"),
                ("FastCgi:Endpoints:A:FileHandover:XSendFiles", "Did you mean XSendfile?"),
                ("FastCgi:Endpoints:A:Mode", "Did you mean UnixMode?"),
                ("FastCgi:Limit", "Did you mean Limits?"),
                ("FastCgi:Limits:MaxBodySize", "Did you mean MaxRequestBodySize?"),
            ],
            options.UnknownKeys.Select(static key => (key.Path, key.Hint)).Order());
    }

    [Fact]
    public void Keys_are_known_in_any_case() =>
        Assert.True(Read("""{ "allowsynchronousio": true }""").AllowSynchronousIO);

    [Theory]
    [InlineData("", "", 0)]
    [InlineData("abc", "ABC", 0)]
    [InlineData("abc", "", 3)]
    [InlineData("kitten", "sitting", 3)]
    [InlineData("flaw", "lawn", 2)]
    public void The_distance_of_two_words_is_the_letters_that_change(string from, string to, int distance)
    {
        Assert.Equal(distance, EditDistance.Between(from, to));
        Assert.Equal(distance, EditDistance.Between(to, from));
    }

    [Fact]
    public void Every_option_has_a_key_in_the_section()
    {
        string[] code =
        [
            nameof(FastCgiServerOptions.ApplicationServices), nameof(FastCgiServerOptions.RequestHeaderEncodingSelector),
            nameof(FastCgiServerOptions.ResponseHeaderEncodingSelector),
            $"EndpointDefaults:{nameof(FastCgiListenOptions.ApplicationServices)}",
        ];
        var options = Names<FastCgiServerOptions>("")
            .Concat(Names<FastCgiServerLimits>("Limits:"))
            .Concat(Names<FastCgiStatusOptions>("Status:"))
            .Concat(Names<FastCgiListenOptions>("EndpointDefaults:").Except(
                typeof(FastCgiListenOptions).GetProperties().Where(static property => !property.CanWrite)
                    .Select(static property => $"EndpointDefaults:{property.Name}")));

        Assert.Equal(code.Order(), options.Where(static name => !HasKey(name)).Order());

        static IEnumerable<string> Names<T>(string section) =>
            typeof(T).GetProperties().Select(property => section + property.Name);

        static bool HasKey(string name)
        {
            var options = new FastCgiServerOptions();
            var settings = new Dictionary<string, string?> { [$"FastCgi:{name}"] = "?" };
            try
            {
                options.Configure(
                    new ConfigurationBuilder().AddInMemoryCollection(settings).Build().GetSection("FastCgi"));
                return !options.UnknownKeys.Any();
            }
            catch (InvalidOperationException)
            {
                // The key is known, and the value is refused.
                return true;
            }
        }
    }

    private static FastCgiServerOptions Read(params IEnumerable<(string Key, string Value)> settings)
    {
        var options = new FastCgiServerOptions();
        options.Configure(new ConfigurationBuilder()
            .AddInMemoryCollection(settings.Select(static pair => KeyValuePair.Create<string, string?>(pair.Key, pair.Value)))
            .Build().GetSection(ServerSettings.SectionName));
        return options;
    }

    private static FastCgiServerOptions Read(string json)
    {
        using var stream = new MemoryStream(Encoding.UTF8.GetBytes($$"""{ "FastCgi": {{json}} }"""));
        var options = new FastCgiServerOptions();
        options.Configure(new ConfigurationBuilder().AddJsonStream(stream).Build().GetSection(ServerSettings.SectionName));
        return options;
    }
}

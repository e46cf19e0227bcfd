namespace FastCgi.Tool.Tests.Doctor;

/// <summary>A mistake in nginx's configuration, with what it causes.</summary>
/// <param name="Rule">What the doctor calls it.</param>
/// <param name="Wrong">The site; <c># WRONG</c> marks the line that the doctor must name.</param>
/// <param name="IsHint">All requests are right all the same.</param>
internal sealed record Seed(
    string Rule, string Wrong, string Right, Func<SeedSite, Task<bool>> Shows, bool IsHint = false)
{
    public const string Mark = "# WRONG";

    /// <summary>The params of every location of an application.</summary>
    public const string Params = """
        include /etc/nginx/fastcgi_params;
                fastcgi_param HTTP_HOST $host:$server_port;
                fastcgi_param REMOTE_USER "";
        """;

    /// <summary>Room for cookies.</summary>
    public const string Buffers = "fastcgi_buffer_size 32k;\n        fastcgi_buffers 16 32k;";

    /// <summary>What every location of an application has.</summary>
    public const string Facts = Params + "\n        " + Buffers;

    /// <summary>The maps of docs/behind-a-proxy.md, for a balancer on this machine.</summary>
    public const string Balancer = """
        geo $realip_remote_addr $from_balancer { default 0; 127.0.0.0/8 1; }
        map "$from_balancer:$http_x_forwarded_proto" $client_https { default $https; "1:https" on; "1:http" off; }
        """;

    public const string Location = Facts + "\n        fastcgi_pass unix:SOCKET;";

    /// <summary>Without the mistake it is the usual site.</summary>
    public Seed(string rule, string wrong, Func<SeedSite, Task<bool>> shows)
        : this(rule, wrong, Site(), shows)
    {
    }

    /// <summary>Tells seeds of one rule apart.</summary>
    public string Name { get; init; } = Rule;

    /// <summary>Further arguments of fcgi doctor.</summary>
    public string[] Arguments { get; init; } = [];

    public Seed Named(string name) => this with { Name = name };

    public Seed With(params string[] arguments) => this with { Arguments = arguments };

    /// <summary>A site with these lines in their places.</summary>
    public static string Site(
        string http = "", string server = "", string location = Location, string after = "") => $$"""
        {{http}}
        server {
            listen LISTEN;
            server_name _;
            {{server}}
            location / {
                {{location}}
            }
            {{after}}
        }
        """;
}

namespace FastCgi.WebServerTests.Locations;

/// <summary>A refused page stays refused, whichever of nginx' params the configuration sends.</summary>
public sealed class NginxParamsTests
{
    private const string Minimal = """
        fastcgi_param REQUEST_METHOD $request_method;
        fastcgi_param REQUEST_URI $request_uri;
        fastcgi_param QUERY_STRING $query_string;
        fastcgi_param CONTENT_TYPE $content_type;
        fastcgi_param CONTENT_LENGTH $content_length;
        fastcgi_param SERVER_PROTOCOL $server_protocol;
        """;

    public static TheoryData<string, string> Complete => new()
    {
        { "as Debian ships them", "include /etc/nginx/fastcgi_params;" },
        { "with another SERVER_SOFTWARE", "include /etc/nginx/fastcgi_params; fastcgi_param SERVER_SOFTWARE webserver;" },
        { "with an empty SERVER_SOFTWARE", "include /etc/nginx/fastcgi_params; fastcgi_param SERVER_SOFTWARE \"\";" },
        { "without SCRIPT_NAME", $"{Minimal} fastcgi_param DOCUMENT_URI $document_uri;" },
        { "without DOCUMENT_URI", $"{Minimal} fastcgi_param SCRIPT_NAME $fastcgi_script_name;" },
        {
            "without DOCUMENT_URI and with another SERVER_SOFTWARE",
            $"{Minimal} fastcgi_param SCRIPT_NAME $fastcgi_script_name; fastcgi_param SERVER_SOFTWARE webserver;"
        },
        { "with the path in PATH_INFO", $"{Minimal} fastcgi_param PATH_INFO $document_uri; fastcgi_param SCRIPT_NAME \"\";" },
        {
            "with fastcgi_split_path_info",
            $"{Minimal} fastcgi_split_path_info ^(/[^/]*)(/.*)?$; fastcgi_param PATH_INFO $fastcgi_path_info; "
            + "fastcgi_param SCRIPT_NAME $fastcgi_script_name;"
        },
    };

    [Theory, MemberData(nameof(Complete))]
    public async Task An_error_page_is_served_in_place_of_the_refused_page(string name, string @params)
    {
        await using var site = await StartAsync(@params);

        var refused = await site.AskAsync("/admin/customers?x=1");
        Assert.Equal((name, 403, "/errors/403"), (name, refused.Status, refused.Text));
        var page = await site.AskAsync("/a%2Fb//c?x=1");
        Assert.Equal((name, 200, "/a%2Fb//c?x=1"), (name, page.Status, page.Text));
    }

    [Fact]
    public async Task Params_that_do_not_tell_of_redirects_are_refused_with_the_line_to_add()
    {
        await using var site = await StartAsync(Minimal);

        foreach (var target in (string[])["/admin/customers", "/"])
        {
            var response = await site.AskAsync(target);
            Assert.Contains("fastcgi_param DOCUMENT_URI $document_uri;", response.Text, StringComparison.Ordinal);
        }
    }

    private static Task<Site> StartAsync(string @params) => Site.StartAsync(
        app => WebServerProgram.Nginx.StartAsync(endPoint => $$"""
            server {
                listen {{endPoint}};
                location / { {{@params}} fastcgi_pass unix:{{app.SocketPath}}; }
                location /admin/ { deny all; error_page 403 /errors/403; }
            }
            """),
        static app => app.Run(static context =>
            context.Response.WriteAsync($"{context.Request.Path.Value}{context.Request.QueryString.Value}")));
}

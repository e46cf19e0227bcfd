using System.Net;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;

namespace FastCgi.PackageTests;

/// <summary>Projects made by the templates, from the packages alone.</summary>
public sealed class TemplateTests(InstalledTemplates templates) : IClassFixture<InstalledTemplates>
{
    [Fact]
    public async Task The_minimal_template_runs_alone_in_development_and_behind_nginx_in_production()
    {
        var project = await templates.MadeAsync("fastcgi");

        Assert.StartsWith("You asked for / on 127.0.0.1:", await DevelopAsync(project), StringComparison.Ordinal);
        await using var site = await DeployAsync(project);
        Assert.StartsWith(
            "You asked for / on 127.0.0.1:", await site.Client.GetStringAsync((Uri?)null).Within("the page"),
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_mvc_template_shows_its_page_its_form_and_its_errors()
    {
        var project = await templates.MadeAsync("fastcgi-mvc");
        await using var site = await DeployAsync(project);
        using var browser = site.CreateBrowser();

        var page = await browser.GetStringAsync((Uri?)null).Within("the page");
        Assert.Contains("Welcome", page, StringComparison.Ordinal);
        var token = page.Split("__RequestVerificationToken\" type=\"hidden\" value=\"")[1].Split('"')[0];
        using var form = new FormUrlEncodedContent([new("Name", "<Ann>"), new("__RequestVerificationToken", token)]);
        using var greeted = await browser.PostAsync((Uri?)null, form).Within("the greeting");
        Assert.Contains("Hello, &lt;Ann&gt;!", await greeted.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        using var missing = await browser.GetAsync(new Uri("nowhere", UriKind.Relative)).Within("the error page");
        Assert.Equal(HttpStatusCode.NotFound, missing.StatusCode);
        Assert.Contains("There is no such page", await missing.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        using var unread = await browser.PostAsync(new Uri("nowhere", UriKind.Relative), null).Within("the same page");
        Assert.Equal(HttpStatusCode.MethodNotAllowed, unread.StatusCode);
        Assert.Contains("Status 405", await unread.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        using var forged = new FormUrlEncodedContent([new("Name", "Ann")]);
        using var refused = await browser.PostAsync((Uri?)null, forged).Within("the page of a form without its token");
        Assert.Equal(HttpStatusCode.BadRequest, refused.StatusCode);
        Assert.Contains("Status 400", await refused.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        using var style = await browser.GetAsync(new Uri("site.css", UriKind.Relative)).Within("the style");
        Assert.Equal("text/css", style.Content.Headers.ContentType?.MediaType);

        Assert.Contains("Welcome", await DevelopAsync(project), StringComparison.Ordinal);
    }

    /// <summary>As projects of the SDK have them: <c>dotnet run</c> takes http, and F5 either.</summary>
    [Theory]
    [InlineData("fastcgi")]
    [InlineData("fastcgi-mvc")]
    public async Task A_template_has_profiles_for_http_and_https(string template)
    {
        var project = await templates.MadeAsync(template);
        var profiles = JsonNode.Parse(Read(project, "Site.One/Properties/launchSettings.json"))!["profiles"]!.AsObject();

        Assert.Equal(["http", "https"], profiles.Select(static profile => profile.Key));
        Assert.Matches("^http://localhost:5[0-3][0-9]{2}$", (string)profiles["http"]!["applicationUrl"]!);
        Assert.Matches(
            "^https://localhost:7[0-3][0-9]{2};http://localhost:5[0-3][0-9]{2}$",
            (string)profiles["https"]!["applicationUrl"]!);
    }

    /// <summary>A project that exists: nginx runs the file, and the socket comes as from systemd.</summary>
    [Fact]
    public async Task The_site_template_serves_a_project_that_exists()
    {
        using var project = templates.NewProject();
        (await templates.MadeAsync("fastcgi")).CopyTo(project);
        await project.RunAsync("new", "fastcgi-site", "--output", "Site.One", "--serverName", "shop.example");
        var nginxFile = Read(project, "Site.One/deploy/site-one.conf");
        var socketUnit = Read(project, "Site.One/deploy/site-one.socket");
        var settings = JsonNode.Parse(
            await File.ReadAllTextAsync(project.PathOf("Site.One/appsettings.Production.json")));
        var endpoint = (string)settings!["FastCgi"]!["Endpoints"]!["Main"]!["Url"]!;

        // One socket in three files.
        Assert.Equal("unix:/run/site-one/app.sock", endpoint);
        Assert.Contains($"server {endpoint};", nginxFile, StringComparison.Ordinal);
        Assert.Contains($"ListenStream={endpoint["unix:".Length..]}\n", socketUnit, StringComparison.Ordinal);

        using var listener = new InheritedListener();
        // As SocketMode= of the unit says.
        File.SetUnixFileMode(listener.SocketPath, (UnixFileMode)0b110_110_000);
        await using var app = listener.Start(
            ListenerHandover.Systemd, "dotnet", project.PathOf("Site.One/bin/Debug/net10.0/Site.One.dll"),
            "--contentRoot", project.PathOf("Site.One"), $"--FastCgi:Endpoints:Main:Url=unix:{listener.SocketPath}");
        await app.WaitForStartAsync("the application");
        await using var nginx = await WebServerProgram.Nginx.StartAsync(endPoint => nginxFile
            .Replace("listen 80;", $"listen {endPoint};", StringComparison.Ordinal)
            .Replace("include ", "include /etc/nginx/", StringComparison.Ordinal)
            .Replace(endpoint, $"unix:{listener.SocketPath}", StringComparison.Ordinal));
        using var client = TestClient.Create(nginx.EndPoint);
        client.DefaultRequestHeaders.Host = "shop.example";

        Assert.Equal(
            "You asked for / on shop.example.", await client.GetStringAsync("/").Within("the page", app.Log.ToString));
    }

    [Theory]
    [InlineData("Site.One", "site-one", "/srv/site-one/Site.One")]
    [InlineData("My Site", "my-site", "\"/srv/my-site/My Site\"")]
    public async Task The_files_of_the_site_are_those_of_fcgi_config_and_systemd_takes_the_units(
        string name, string unit, string program)
    {
        using var project = templates.NewProject();
        await project.RunAsync(
            "new", "fastcgi-site", "--output", name, "--serverName", "shop.example", "--group", "nginx");
        var tool = Path.Combine(
            Repository.Root, "src/FastCgi.Tool/bin", Feed.Configuration, "net10.0/fcgi.dll");
        var expected = project.PathOf("expected");
        string[] site = ["--site", unit, "--output", expected];
        await project.RunAsync([tool, "config", "nginx", "--server-name", "shop.example", .. site]);
        await project.RunAsync(
            [tool, "config", "systemd", "--program", $"/srv/{unit}/{name}", "--group", "nginx", .. site]);

        var written = Directory.GetFiles(project.PathOf($"{name}/deploy"));
        Assert.Equal(
            [.. Directory.GetFiles(expected).Select(Path.GetFileName).Order(StringComparer.Ordinal)],
            written.Select(Path.GetFileName).Where(static name => name != "README.md").Order(StringComparer.Ordinal));
        foreach (var file in Directory.GetFiles(expected))
        {
            // A word of a comment names the group of Debian's nginx.
            var text = await File.ReadAllTextAsync(file);
            Assert.Equal(
                text.Replace("www-data", "nginx", StringComparison.Ordinal),
                Read(project, $"{name}/deploy/{Path.GetFileName(file)}"));
        }

        Assert.DoesNotContain(
            "fastcgisite", string.Concat(written.Select(File.ReadAllText)), StringComparison.OrdinalIgnoreCase);
        Assert.Contains(
            $"\nExecStart={program}\n", Read(project, $"{name}/deploy/{unit}.service"), StringComparison.Ordinal);
        await AssertVerifiesAsync(project, $"{name}/deploy/{unit}");
    }

    /// <summary>systemd takes the units, with a program that exists.</summary>
    private static async Task AssertVerifiesAsync(NewProject project, string unit)
    {
        var service = project.PathOf($"{unit}.service");
        var text = await File.ReadAllTextAsync(service);
        await File.WriteAllTextAsync(
            service, Regex.Replace(text, "^ExecStart=.*$", "ExecStart=/bin/true", RegexOptions.Multiline));
        await Systemd.AssertVerifiesAsync(project.Root, project.PathOf($"{unit}.socket"), service);
    }

    private static string Read(NewProject project, string file) => File.ReadAllText(project.PathOf(file));

    /// <summary>Behind nginx, in the environment Production. Its endpoint is in the settings: nobody may make that here.</summary>
    private static Task<ProcessSite> DeployAsync(NewProject project) => ProcessSite.StartAsync(
        "dotnet",
        [project.PathOf("Site.One/bin/Debug/net10.0/Site.One.dll")],
        project.PathOf("Site.One"),
        endpointOption: "--FastCgi:Endpoints:Main:Url");

    /// <summary>The page as <c>dotnet run</c> shows it: by the gateway of development.</summary>
    private static async Task<string> DevelopAsync(NewProject project)
    {
        var address = $"http://127.0.0.1:{FreePort.Take()}";
        await using var app = ChildProcess.Start(
            "dotnet",
            ["bin/Debug/net10.0/Site.One.dll", "--urls", address],
            project.PathOf("Site.One"),
            new Dictionary<string, string> { ["ASPNETCORE_ENVIRONMENT"] = "Development" });
        await app.WaitForStartAsync("the application");
        using var client = new HttpClient { Timeout = Deadline.Default };
        return await client.GetStringAsync(new Uri(address)).Within("the page by the gateway");
    }
}

using System.Net;

namespace FastCgi.PackageTests;

/// <summary>Projects made by the templates, from the packages alone.</summary>
public sealed class TemplateTests(Feed feed)
{
    [Fact]
    public async Task The_minimal_template_runs_alone_in_development_and_behind_nginx_in_production()
    {
        using var project = await MakeAsync("fastcgi");

        Assert.StartsWith("You asked for / on 127.0.0.1:", await DevelopAsync(project), StringComparison.Ordinal);
        await using var site = await DeployAsync(project);
        Assert.StartsWith(
            "You asked for / on 127.0.0.1:", await site.Client.GetStringAsync((Uri?)null).Within("the page"),
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_mvc_template_shows_its_page_its_form_and_its_errors()
    {
        using var project = await MakeAsync("fastcgi-mvc");
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
        using var style = await browser.GetAsync(new Uri("site.css", UriKind.Relative)).Within("the style");
        Assert.Equal("text/css", style.Content.Headers.ContentType?.MediaType);

        Assert.Contains("Welcome", await DevelopAsync(project), StringComparison.Ordinal);
    }

    /// <summary>Behind nginx, in the environment Production. Its endpoint is in the settings: nobody may make that here.</summary>
    private static Task<ProcessSite> DeployAsync(NewProject project) => ProcessSite.StartAsync(
        "dotnet",
        [project.PathOf("Site.One/bin/Debug/net10.0/Site.One.dll")],
        project.PathOf("Site.One"),
        endpointOption: "--FastCgi:Endpoints:Main:Url");

    /// <summary>With a name that is no identifier, as people have them.</summary>
    private async Task<NewProject> MakeAsync(string template)
    {
        var project = new NewProject(feed);
        try
        {
            await project.RunAsync(
                "new", "install", Path.Combine(feed.Folder, $"FastCgi.Templates.{feed.Version}.nupkg"));
            await project.RunAsync("new", template, "--output", "Site.One");
            await project.RunAsync("build", "Site.One", "-v:q", "-warnaserror", "-p:UseSharedCompilation=false");
            return project;
        }
        catch
        {
            project.Dispose();
            throw;
        }
    }

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
        using var client = new HttpClient();
        return await client.GetStringAsync(new Uri(address)).Within("the page by the gateway");
    }
}

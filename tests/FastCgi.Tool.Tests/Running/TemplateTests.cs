using System.Net;
using System.Text.RegularExpressions;

namespace FastCgi.Tool.Tests.Running;

/// <summary>Applications of the SDK's templates, published as they are, behind nginx.</summary>
public sealed partial class TemplateTests
{
    [Fact]
    public async Task A_template_of_Blazor_runs_without_being_recompiled()
    {
        using var directory = new WorkDirectory();
        await using var run = await PublishAsync(directory, "blazor");
        await using var nginx = await BackEnd.FastCgi.StartNginxAsync(run.Endpoint["unix:".Length..]);
        using var client = TestClient.Create(nginx.EndPoint);

        await AssertHasPageAndFileAsync(client, "/_framework/blazor.web.js");

        Assert.Equal(0, await run.Process.StopAsync());
    }

    /// <summary>Pages with forms, a database, links in the page, and the cookie of a sign-in.</summary>
    [Fact]
    public async Task A_template_of_MVC_with_sign_in_registers_and_signs_in()
    {
        using var directory = new WorkDirectory();
        await using var run = await PublishAsync(directory, "mvc", "--auth", "Individual");
        await using var nginx = await BackEnd.FastCgi.StartNginxAsync(run.Endpoint["unix:".Length..]);
        using var browser = TestClient.Create(nginx.EndPoint, keepsCookies: true);
        const string Name = "ann@example.com";
        const string Password = "Passw0rd!";

        await AssertHasPageAndFileAsync(browser, "/lib/bootstrap/dist/css/bootstrap.min.css");
        var registered = await SubmitAsync(
            browser,
            "Register",
            ("Input.Email", Name),
            ("Input.Password", Password),
            ("Input.ConfirmPassword", Password));
        var confirmation = await browser.GetStringAsync(registered);
        var link = ConfirmationLink().Match(confirmation).Groups[1].Value.Replace(
            "&amp;", "&", StringComparison.Ordinal);
        Assert.StartsWith($"http://{nginx.EndPoint}/Identity/Account/ConfirmEmail", link, StringComparison.Ordinal);
        await browser.GetStringAsync(link);
        Assert.DoesNotContain(Name, await browser.GetStringAsync("/"), StringComparison.Ordinal);
        var home = await SubmitAsync(browser, "Login", ("Input.Email", Name), ("Input.Password", Password));

        Assert.Equal(new Uri($"http://{nginx.EndPoint}/"), home);
        Assert.Contains($"Hello {Name}!", await browser.GetStringAsync(home), StringComparison.Ordinal);
        Assert.Equal(0, await run.Process.StopAsync());
    }

    private static async Task AssertHasPageAndFileAsync(HttpClient client, string file)
    {
        var page = await client.GetStringAsync("/");
        using var asset = await client.GetAsync(file);
        using var missing = await client.GetAsync("/no/such/page");

        Assert.Contains("<!DOCTYPE html>", page, StringComparison.OrdinalIgnoreCase);
        Assert.Equal(HttpStatusCode.OK, asset.StatusCode);
        Assert.True((await asset.Content.ReadAsByteArrayAsync()).Length > 10_000);
        Assert.Equal(HttpStatusCode.NotFound, missing.StatusCode);
    }

    private static async Task<RunTool> PublishAsync(WorkDirectory directory, string template, params string[] options)
    {
        await Sdk.RunAsync(
            directory, directory.Path,
            ["new", template, .. options, "--name", "Site", "--output", directory.File("Site"), "--no-restore"]);
        await Sdk.RunAsync(
            directory, directory.Path, "publish", directory.File("Site"), "-c", "Release", "-o", directory.File("out"),
            "--nologo", "-p:CompressionEnabled=false", "-p:RunAnalyzers=false");
        return await RunTool.StartAsync(directory.File("out/Site.dll"));
    }

    /// <summary>Fills in a form of Identity.</summary>
    /// <returns>Where the browser is sent.</returns>
    private static async Task<Uri> SubmitAsync(
        HttpClient browser, string page, params (string Name, string Value)[] fields)
    {
        var path = $"/Identity/Account/{page}";
        var token = FormToken().Match(await browser.GetStringAsync(path)).Groups[1].Value;
        using var form = new FormUrlEncodedContent(
        [
            .. fields.Select(static field => KeyValuePair.Create(field.Name, field.Value)),
            KeyValuePair.Create("__RequestVerificationToken", token),
        ]);
        using var response = await browser.PostAsync(path, form);
        Assert.True(
            response.StatusCode == HttpStatusCode.Redirect, await response.Content.ReadAsStringAsync());
        return new Uri(browser.BaseAddress!, response.Headers.Location!);
    }

    [GeneratedRegex("__RequestVerificationToken\" type=\"hidden\" value=\"([^\"]+)")]
    private static partial Regex FormToken();

    [GeneratedRegex("href=\"([^\"]*ConfirmEmail[^\"]*)")]
    private static partial Regex ConfirmationLink();
}

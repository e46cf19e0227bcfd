using System.Globalization;

namespace FastCgi.Tool.Tests.Configuration;

/// <summary>systemd itself judges the units.</summary>
public sealed class SystemdConfigTests
{
    [Theory]
    [InlineData]
    [InlineData("--endpoint", "127.0.0.1:9000")]
    [InlineData("--endpoint", "localhost:9000")]
    [InlineData("--endpoint", "unix:/srv/sockets/app.sock", "--user", "shop", "--group", "nginx")]
    public async Task A_unit_is_verified_without_a_complaint(params string[] arguments)
    {
        using var directory = new WorkDirectory();

        var run = await ToolRun.OfAsync(["config", "systemd", "--program", "/bin/true", .. arguments]);

        Assert.Equal(0, run.ExitCode);
        var units = run.Output.Split("# app.socket\n");
        await File.WriteAllTextAsync(directory.File("app.service"), units[0]);
        await File.WriteAllTextAsync(directory.File("app.socket"), units[1]);
        await Systemd.AssertVerifiesAsync(
            directory.Path, directory.File("app.socket"), directory.File("app.service"));
    }

    [Theory]
    [InlineData("Our App", "\"{0}/100%% our $HOME/Our App\"")]
    [InlineData("App.dll", "/usr/bin/dotnet \"{0}/100%% our $$HOME/App.dll\"")]
    public async Task A_program_with_a_blank_in_its_path_is_verified_without_a_complaint(string name, string command)
    {
        using var directory = new WorkDirectory();
        var program = Path.Combine(directory.Subdirectory("100% our $HOME"), name);
        File.CreateSymbolicLink(program, "/bin/true");

        var run = await ToolRun.OfAsync(
            "config", "systemd", "--program", program, "--output", directory.File("units"));

        Assert.True(run.ExitCode == ExitCode.Success, run.Error);
        var (_, complaints) = await Systemd.AnalyzeAsync(
            directory.Path, "verify", directory.File("units/app.socket"), directory.File("units/app.service"));
        // There need not be a dotnet in /usr/bin.
        Assert.DoesNotContain(
            complaints.Lines, static line => !line.Contains("/usr/bin/dotnet is not", StringComparison.Ordinal));
        var service = await File.ReadAllTextAsync(directory.File("units/app.service"));
        Assert.Contains(
            $"\nExecStart={string.Format(CultureInfo.InvariantCulture, command, directory.Path)}\n",
            service,
            StringComparison.Ordinal);
        Assert.Contains(
            $"\nWorkingDirectory={directory.Path}/100%% our $HOME\n", service, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_name_of_the_site_is_that_of_the_units_and_their_user()
    {
        using var directory = new WorkDirectory();
        var folder = directory.File("deploy");

        var run = await ToolRun.OfAsync("config", "systemd", "--site", "shop", "--output", folder);
        var again = await ToolRun.OfAsync("config", "systemd", "--site", "shop", "--output", folder);
        var nginx = await ToolRun.OfAsync("config", "nginx", "--site", "shop");

        Assert.True(run.ExitCode == ExitCode.Success, run.Error);
        Assert.Equal("", run.Output);
        Assert.Equal(ExitCode.Usage, again.ExitCode);
        var service = await File.ReadAllTextAsync(Path.Combine(folder, "shop.service"));
        var socket = await File.ReadAllTextAsync(Path.Combine(folder, "shop.socket"));
        Assert.Contains("Requires=shop.socket\n", service, StringComparison.Ordinal);
        Assert.Contains("User=shop\n", service, StringComparison.Ordinal);
        Assert.DoesNotContain("fastcgi-app", service + socket, StringComparison.Ordinal);
        Assert.DoesNotContain("Replace:", service + socket, StringComparison.Ordinal);
        Assert.Contains("ListenStream=/run/shop/app.sock\n", socket, StringComparison.Ordinal);
        nginx.Prints("upstream shop {", "fastcgi_pass shop;", "sites-available/shop,");
    }
}

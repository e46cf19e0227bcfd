namespace FastCgi.WebServerTests.Deployment;

/// <summary>systemd itself reads the units that the documentation gives; it tells what it does not know.</summary>
public sealed class SystemdUnitTests
{
    private static readonly string _units = Path.Combine(Repository.Root, "docs", "systemd");

    [Fact]
    public async Task The_documented_units_are_verified_without_a_complaint()
    {
        using var directory = new WorkDirectory();
        var files = Directory.GetFiles(_units);
        Assert.NotEmpty(files);
        foreach (var file in files)
        {
            // The documented program is the reader's own; any that exists stands in for it.
            var text = await File.ReadAllTextAsync(file);
            var unit = text.Replace("ExecStart=/srv/app/App", "ExecStart=/bin/true", StringComparison.Ordinal);
            await File.WriteAllTextAsync(directory.File(Path.GetFileName(file)), unit);
        }

        foreach (var file in files)
        {
            Assert.Equal((0, ""), await VerifyAsync(directory, Path.GetFileName(file)));
        }
    }

    [Fact]
    public async Task A_unit_with_an_unknown_setting_is_complained_about()
    {
        using var directory = new WorkDirectory();
        await File.WriteAllTextAsync(directory.File("a.service"), "[Service]\nExecStart=/bin/true\nRestrat=always\n");
        var (_, complaint) = await VerifyAsync(directory, "a.service");
        Assert.Contains("Restrat", complaint, StringComparison.Ordinal);
    }

    private static async Task<(int ExitCode, string Complaint)> VerifyAsync(WorkDirectory directory, string unit)
    {
        var program = InstalledProgram.Find("systemd-analyze");
        await using var process = ChildProcess.Start(program, ["verify", directory.File(unit)], directory.Path);
        var exitCode = await process.WaitAsync("systemd's judgement");
        return (exitCode, process.Log.ToString());
    }
}

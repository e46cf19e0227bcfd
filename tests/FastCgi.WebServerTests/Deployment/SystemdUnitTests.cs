using System.Text.RegularExpressions;

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
            var unit = Regex.Replace(text, "^ExecStart=.*$", "ExecStart=/bin/true", RegexOptions.Multiline);
            await File.WriteAllTextAsync(directory.File(Path.GetFileName(file)), unit);
        }

        foreach (var file in files)
        {
            await Systemd.AssertVerifiesAsync(directory.Path, directory.File(Path.GetFileName(file)));
        }
    }

    /// <summary>0 is safe, 10 is open. The rest is what .NET needs: the network, and memory that it may execute.</summary>
    [Theory]
    [InlineData("fastcgi-app.service")]
    [InlineData("fastcgi-app@.service")]
    [InlineData("site@.service")]
    public async Task The_services_are_shut_in(string name)
    {
        var (exitCode, judgement) = await Systemd.AnalyzeAsync(
            _units, "security", "--offline=true", "--threshold=29", Path.Combine(_units, name));
        Assert.True(exitCode == 0, judgement.ToString());
    }

    /// <summary>UnixGroup gives the socket to another group of the service. The kernel allows no more than that.</summary>
    [Fact]
    public async Task The_services_may_give_a_socket_to_a_group()
    {
        foreach (var file in Directory.GetFiles(_units, "*.service"))
        {
            var isAllowed = false;
            foreach (var line in await File.ReadAllLinesAsync(file))
            {
                if (line.Split("SystemCallFilter=") is ["", var filter] && await HasCallAsync(filter.TrimStart('~'), "fchownat"))
                {
                    isAllowed = filter[0] != '~';
                }
            }

            Assert.True(isAllowed, file);
        }
    }

    /// <summary>
    /// A service in the web server's group could enter every socket that is made for this group. A runtime directory
    /// takes the socket of a .socket unit with it when the service stops. The watchdog connects to the socket as the
    /// user of the service.
    /// </summary>
    [Fact]
    public async Task Only_the_web_server_and_the_service_itself_enter_a_socket_and_no_directory_goes_with_it()
    {
        foreach (var file in Directory.GetFiles(_units, "*.service"))
        {
            var lines = await File.ReadAllLinesAsync(file);
            Assert.DoesNotContain(lines, static line => line.StartsWith("Group=www-data", StringComparison.Ordinal)
                || line.StartsWith("SupplementaryGroups=", StringComparison.Ordinal));
            if (File.Exists(Path.ChangeExtension(file, ".socket")))
            {
                Assert.DoesNotContain(
                    lines, static line => line.StartsWith("RuntimeDirectory=", StringComparison.Ordinal));
                Assert.Contains(lines, line => line.StartsWith("Requires=", StringComparison.Ordinal)
                    && line.EndsWith(".socket", StringComparison.Ordinal));
            }
        }

        foreach (var file in Directory.GetFiles(_units, "*.socket"))
        {
            var lines = await File.ReadAllLinesAsync(file);
            var service = await File.ReadAllLinesAsync(Path.ChangeExtension(file, ".service"));
            var user = Assert.Single(service, static line => line.StartsWith("User=", StringComparison.Ordinal));
            Assert.Contains($"Socket{user}", lines);
            Assert.Contains("SocketMode=0660", lines);
        }
    }

    [Fact]
    public async Task A_unit_with_an_unknown_setting_is_complained_about()
    {
        using var directory = new WorkDirectory();
        await File.WriteAllTextAsync(directory.File("a.service"), "[Service]\nExecStart=/bin/true\nRestrat=always\n");
        var (_, complaint) = await Systemd.AnalyzeAsync(directory.Path, "verify", directory.File("a.service"));
        Assert.Contains("Restrat", complaint.ToString(), StringComparison.Ordinal);
    }

    /// <summary>Whether the set has the system call, or a set in it has.</summary>
    private static async Task<bool> HasCallAsync(string set, string call)
    {
        var (exitCode, listing) = await Systemd.AnalyzeAsync(_units, "syscall-filter", set);
        Assert.Equal(0, exitCode);
        string[] members = [.. listing.Lines.Skip(1).Select(static line => line.Trim())];
        foreach (var member in members.Where(static member => member.StartsWith('@')))
        {
            if (await HasCallAsync(member, call))
            {
                return true;
            }
        }

        return members.Contains(call);
    }
}

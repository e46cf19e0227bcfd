namespace FastCgi.SampleTests.Shop;

/// <summary>systemd itself reads the shop's units; it tells what it does not know.</summary>
public sealed class ShopUnitsTests
{
    private static readonly string _units = Path.Combine(SampleProgram.FolderOf("Shop"), "systemd");

    [Theory]
    [InlineData("shop.service")]
    [InlineData("shop-activated.service")]
    [InlineData("shop-activated.socket")]
    public async Task The_units_are_verified_without_a_complaint(string name)
    {
        using var directory = new WorkDirectory();
        foreach (var file in Directory.GetFiles(_units))
        {
            // The shop is not installed here; any program that exists stands in for it.
            var unit = await File.ReadAllTextAsync(file);
            await File.WriteAllTextAsync(
                directory.File(Path.GetFileName(file)),
                unit.Replace("/srv/shop/Shop", "/bin/true", StringComparison.Ordinal));
        }

        await Systemd.AssertVerifiesAsync(directory.Path, directory.File(name));
    }

    [Theory]
    [InlineData("shop.service", " --urls fastcgi://127.0.0.1:9000")]
    [InlineData("shop-activated.service", "")]
    public async Task Both_services_restart_and_are_shut_in(string name, string address)
    {
        var lines = await File.ReadAllLinesAsync(Path.Combine(_units, name));
        Assert.Contains($"ExecStart=/srv/shop/Shop{address} --data /var/lib/shop", lines);
        Assert.Contains("Restart=on-failure", lines);
        Assert.Contains("ProtectSystem=strict", lines);
        Assert.Contains("NoNewPrivileges=yes", lines);
        // Code is compiled while it runs.
        Assert.DoesNotContain(lines, line => line.StartsWith("MemoryDenyWriteExecute", StringComparison.Ordinal));
    }
}

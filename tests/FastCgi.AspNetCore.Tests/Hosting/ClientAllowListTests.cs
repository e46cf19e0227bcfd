namespace FastCgi.AspNetCore.Tests.Hosting;

public class ClientAllowListTests
{
    [Theory]
    [InlineData("10.0.0.5", "10.0.0.5", true)]
    [InlineData("10.0.0.5", "10.0.0.4", false)]
    [InlineData("10.0.0.5", "::ffff:10.0.0.5", true)]
    [InlineData("::ffff:10.0.0.5", "10.0.0.5", true)]
    [InlineData("10.0.0.0/8", "10.255.255.255", true)]
    [InlineData("10.0.0.0/8", "11.0.0.0", false)]
    [InlineData("10.0.0.0/8", "::ffff:10.1.2.3", true)]
    [InlineData("10.0.0.5/8", "10.9.9.9", true)]
    [InlineData("192.168.1.128/25", "192.168.1.127", false)]
    [InlineData("192.168.1.128/25", "192.168.1.128", true)]
    [InlineData("192.0.2.1/32", "192.0.2.1", true)]
    [InlineData("192.0.2.1/32", "192.0.2.0", false)]
    [InlineData("0.0.0.0/0", "203.0.113.9", true)]
    [InlineData("0.0.0.0/0", "2001:db8::1", false)]
    [InlineData("::/0", "2001:db8::1", true)]
    [InlineData("::/0", "203.0.113.9", false)]
    [InlineData("::/0", "::ffff:203.0.113.9", false)]
    [InlineData("::ffff:10.0.0.0/104", "10.1.2.3", true)]
    [InlineData("::ffff:10.0.0.0/104", "11.1.2.3", false)]
    [InlineData("::ffff:0.0.0.0/95", "10.1.2.3", false)]
    [InlineData("::ffff:0.0.0.0/95", "::fffe:0a01:0203", true)]
    [InlineData("::1", "::1", true)]
    [InlineData("::1", "127.0.0.1", false)]
    [InlineData("2001:db8::/32", "2001:db8:ffff::1", true)]
    [InlineData("2001:db8::/32", "2001:db9::1", false)]
    [InlineData("2001:db8::1", "2001:db8::1", true)]
    // The last 32 bits count: PHP-FPM compares 96.
    [InlineData("2001:db8::1", "2001:db8::2", false)]
    [InlineData("2001:db8::/127", "2001:db8::2", false)]
    [InlineData("2001:db8::/127", "2001:db8::1", true)]
    [InlineData("fe80::1", "fe80::1%3", true)]
    [InlineData(" 10.0.0.5 ", "10.0.0.5", true)]
    public void A_client_is_admitted_when_all_bits_of_an_entry_are_its_own(string entry, string client, bool admitted)
    {
        Assert.Equal(admitted, Listing(entry).Admits(IPAddress.Parse(client)));
    }

    public static TheoryData<string> NoEntries =>
    [
        "", "localhost", "10.0.0", "10", "010.0.0.5", "10.0.0.5:80", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8",
        "10.0.0.0/", "10.0.0.0/8/8", "10.0.0.0/255.0.0.0", "[::1]", "::/129", "10.0.0.1-10.0.0.9", "*",
    ];

    [Theory, MemberData(nameof(NoEntries))]
    public void Anything_else_is_no_entry(string entry) => Assert.False(FastCgiAddress.TryParseNetwork(entry, out _));

    [Fact]
    public void Any_entry_of_several_will_do()
    {
        var list = Listing("10.0.0.5", "fd00::/8");

        Assert.True(list.Admits(IPAddress.Parse("fd12::1")));
        Assert.True(list.Admits(IPAddress.Parse("10.0.0.5")));
        Assert.False(list.Admits(IPAddress.Loopback));
    }

    [Fact]
    public void A_client_without_an_address_is_not_admitted() =>
        Assert.False(Listing("0.0.0.0/0", "::/0").Admits(null));

    private static ClientAllowList Listing(params string[] entries) => new(entries.Select(static entry =>
    {
        Assert.True(FastCgiAddress.TryParseNetwork(entry, out var network));
        return network;
    }));
}

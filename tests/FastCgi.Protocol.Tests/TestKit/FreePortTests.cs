namespace FastCgi.Protocol.Tests.TestKit;

public class FreePortTests
{
    [Fact]
    public void A_port_that_was_taken_is_not_claimed_again() => Assert.False(FreePort.TryClaim(FreePort.Take()));
}

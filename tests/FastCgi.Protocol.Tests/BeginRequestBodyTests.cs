namespace FastCgi.Protocol.Tests;

public class BeginRequestBodyTests : EightByteBodyTests<BeginRequestBody>
{
    protected override (BeginRequestBody Body, byte[] Bytes) Example => (new((FastCgiRole)0x0102, BeginRequestFlags.KeepConnection), [1, 2, 1, 0, 0, 0, 0, 0]);

    protected override byte[] Reserved => [1, 2, 1, 9, 9, 9, 9, 9];

    protected override BeginRequestBody Nameless => new(FastCgiRole.Authorizer, (BeginRequestFlags)0xF0);

    [Theory]
    [InlineData(0, false)]
    [InlineData(1, true)]
    [InlineData(0xFE, false)]
    [InlineData(0xFF, true)]
    public void Only_the_lowest_flag_keeps_the_connection(byte flags, bool keeps)
    {
        Assert.True(BeginRequestBody.TryRead([0, 1, flags, 0, 0, 0, 0, 0], out var body));
        Assert.Equal(keeps, body.KeepConnection);
    }

    protected override void Write(BeginRequestBody body, byte[] memory) => body.Write(memory);

    protected override bool TryRead(byte[] bytes, out BeginRequestBody body) => BeginRequestBody.TryRead(bytes, out body);
}

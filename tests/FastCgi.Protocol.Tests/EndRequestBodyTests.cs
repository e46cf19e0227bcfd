namespace FastCgi.Protocol.Tests;

public class EndRequestBodyTests : EightByteBodyTests<EndRequestBody>
{
    protected override (EndRequestBody Body, byte[] Bytes) Example => (new(0x01020304, ProtocolStatus.Overloaded), [1, 2, 3, 4, 2, 0, 0, 0]);

    protected override byte[] Reserved => [1, 2, 3, 4, 2, 9, 9, 9];

    protected override EndRequestBody Nameless => new(uint.MaxValue, (ProtocolStatus)255);

    protected override void Write(EndRequestBody body, byte[] memory) => body.Write(memory);

    protected override bool TryRead(byte[] bytes, out EndRequestBody body) => EndRequestBody.TryRead(bytes, out body);
}

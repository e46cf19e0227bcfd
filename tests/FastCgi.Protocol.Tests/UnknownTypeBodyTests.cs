namespace FastCgi.Protocol.Tests;

public class UnknownTypeBodyTests : EightByteBodyTests<UnknownTypeBody>
{
    protected override (UnknownTypeBody Body, byte[] Bytes) Example => (new((RecordType)200), [200, 0, 0, 0, 0, 0, 0, 0]);

    protected override byte[] Reserved => [200, 9, 9, 9, 9, 9, 9, 9];

    protected override UnknownTypeBody Nameless => new(RecordType.None);

    protected override void Write(UnknownTypeBody body, byte[] memory) => body.Write(memory);

    protected override bool TryRead(byte[] bytes, out UnknownTypeBody body) => UnknownTypeBody.TryRead(bytes, out body);
}

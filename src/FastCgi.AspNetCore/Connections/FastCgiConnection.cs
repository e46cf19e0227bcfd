using FastCgi.AspNetCore.Connections.Wire;
using FastCgi.AspNetCore.Server;
using FastCgi.AspNetCore.Transport;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections;

/// <summary>A connection of a FastCGI endpoint: records in, records out.</summary>
/// <remarks>The parts: .Routing (what each record means), .Management (records of id 0).</remarks>
internal sealed partial class FastCgiConnection(
    ServerContext server,
    RequestPool pool,
    IConnectionOwner owner,
    TransportConnection transport,
    bool allowsUpgrade)
    : PeerConnection(server, pool, owner, transport, allowsUpgrade)
{
    // Written under the reading role only.
    private RecordReader _records;
    private FixedBodyReader _fixedBody;
    private GetValuesReader _getValues;

    public override bool HasRecords => true;

    protected override string ProtocolName => "FastCGI";

    protected override bool IsBetweenRecords => _records.IsBetweenRecords;

    protected override ForeignProtocol? Recognise(ReadOnlySpan<byte> firstBytes) =>
        ForeignProtocol.AtFastCgi(firstBytes);

    protected override void SendEndRequest(ushort requestId)
    {
        Span<byte> record = stackalloc byte[RecordWriter.EndRequestRecordSize];
        RecordWriter.WriteEndRequest(record, requestId, new EndRequestBody(0, ProtocolStatus.RequestComplete));
        Output.SendCopy(record);
    }

    /// <summary>
    /// Eight zero bytes, a record of version 0: the one end that every web server takes for a broken answer, so that
    /// half a page is neither served nor cached as a whole one.
    /// </summary>
    protected override void SendBreak()
    {
        ReadOnlySpan<byte> invalid = [0, 0, 0, 0, 0, 0, 0, 0];
        Output.SendCopy(invalid);
    }
}

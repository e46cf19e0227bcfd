namespace FastCgi.Protocol.Tests;

/// <summary>The numbers of FastCGI 1.0, section 8, typed from the specification and not from our enums.</summary>
public class SpecificationTests
{
    [Theory]
    [InlineData(RecordType.BeginRequest, 1)]
    [InlineData(RecordType.AbortRequest, 2)]
    [InlineData(RecordType.EndRequest, 3)]
    [InlineData(RecordType.Params, 4)]
    [InlineData(RecordType.Stdin, 5)]
    [InlineData(RecordType.Stdout, 6)]
    [InlineData(RecordType.Stderr, 7)]
    [InlineData(RecordType.Data, 8)]
    [InlineData(RecordType.GetValues, 9)]
    [InlineData(RecordType.GetValuesResult, 10)]
    [InlineData(RecordType.UnknownType, 11)]
    public void Record_types(RecordType type, byte number) => Assert.Equal(number, (byte)type);

    [Theory]
    [InlineData(FastCgiRole.Responder, 1)]
    [InlineData(FastCgiRole.Authorizer, 2)]
    [InlineData(FastCgiRole.Filter, 3)]
    public void Roles(FastCgiRole role, ushort number) => Assert.Equal(number, (ushort)role);

    [Theory]
    [InlineData(ProtocolStatus.RequestComplete, 0)]
    [InlineData(ProtocolStatus.CannotMultiplexConnection, 1)]
    [InlineData(ProtocolStatus.Overloaded, 2)]
    [InlineData(ProtocolStatus.UnknownRole, 3)]
    public void Protocol_statuses(ProtocolStatus status, byte number) => Assert.Equal(number, (byte)status);

    [Fact]
    public void Lengths_and_ids()
    {
        Assert.Equal(1, (byte)BeginRequestFlags.KeepConnection);
        Assert.Equal(1, FastCgiConstants.Version);
        Assert.Equal(8, FastCgiConstants.HeaderSize);
        Assert.Equal(65535, FastCgiConstants.MaxContentLength);
        Assert.Equal(0, FastCgiConstants.NullRequestId);
        Assert.Equal(65798, FastCgiConstants.MaxRecordSize);
        Assert.Equal(0, FastCgiConstants.MaxAlignedContentLength % 8);
    }
}

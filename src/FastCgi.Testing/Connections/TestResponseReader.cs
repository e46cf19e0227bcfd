using System.Buffers;
using System.Globalization;
using System.Text;
using FastCgi.Protocol;
using FastCgi.Testing.Requests;
using Microsoft.AspNetCore.Http;

namespace FastCgi.Testing.Connections;

/// <summary>Builds one response from the bytes of a connection.</summary>
internal sealed class TestResponseReader
{
    private static readonly byte[] s_endOfHead = "\r\n\r\n"u8.ToArray();

    private readonly ArrayBufferWriter<byte> _stdout = new();
    private readonly ArrayBufferWriter<byte> _stderr = new();
    private readonly byte[] _end = new byte[FastCgiConstants.FixedBodySize];
    private RecordReader _records;
    private int _endLength;
    private EndRequestBody? _endRequest;
    private int _bodyStart = -1;
    private int _statusCode;
    private HeaderDictionary _headers = new() { IsReadOnly = true };

    /// <summary>True after END_REQUEST, the end of the connection, or bytes that are no record.</summary>
    public bool IsEnded { get; private set; }

    public bool HasHead => _bodyStart >= 0;

    /// <summary>The bytes of the body so far.</summary>
    public ReadOnlyMemory<byte> Body => HasHead ? _stdout.WrittenMemory[_bodyStart..] : default;

    /// <summary>Adds received bytes. No bytes mean the end of the connection.</summary>
    public void Add(ReadOnlySpan<byte> received)
    {
        IsEnded |= received.IsEmpty;
        while (!IsEnded && _records.TryRead(ref received, out RecordPart part))
        {
            Add(part);
        }

        // The server tears a response with bytes that are no record.
        IsEnded |= _records.Violation != ProtocolViolation.None;
        if (!HasHead)
        {
            ParseHead();
        }
    }

    /// <summary>The response as far as it has arrived.</summary>
    public FastCgiTestResponse ToResponse() =>
        new(_statusCode, _headers, Body.ToArray(), _stderr.WrittenMemory.ToArray(), _endRequest);

    private void Add(in RecordPart part)
    {
        if (part.Header.RequestId != RequestRecords.RequestId)
        {
            return;
        }

        switch (part.Header.Type)
        {
            case RecordType.Stdout:
                _stdout.Write(part.Content);
                break;
            case RecordType.Stderr:
                _stderr.Write(part.Content);
                break;
            case RecordType.EndRequest:
                int length = Math.Min(part.Content.Length, _end.Length - _endLength);
                part.Content[..length].CopyTo(_end.AsSpan(_endLength));
                _endLength += length;
                if (part.IsLast)
                {
                    IsEnded = true;
                    _endRequest = EndRequestBody.TryRead(_end.AsSpan(0, _endLength), out EndRequestBody end)
                        ? end
                        : null;
                }

                break;
        }
    }

    private void ParseHead()
    {
        int end = _stdout.WrittenSpan.IndexOf(s_endOfHead);
        if (end < 0)
        {
            return;
        }

        _bodyStart = end + s_endOfHead.Length;
        _statusCode = StatusCodes.Status200OK;
        var headers = new HeaderDictionary();
        foreach (string line in Encoding.UTF8.GetString(_stdout.WrittenSpan[..end]).Split("\r\n"))
        {
            int colon = line.IndexOf(':', StringComparison.Ordinal);
            if (colon < 0)
            {
                throw new InvalidDataException($"The response head has a line without a colon: '{line}'.");
            }

            string name = line[..colon];
            string value = line[(colon + 1)..].Trim(' ');
            if (name.Equals("Status", StringComparison.OrdinalIgnoreCase))
            {
                _statusCode = int.Parse(value.Split(' ')[0], NumberStyles.None, CultureInfo.InvariantCulture);
            }
            else
            {
                headers.Append(name, value);
            }
        }

        headers.IsReadOnly = true;
        _headers = headers;
    }
}

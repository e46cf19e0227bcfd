using System.Buffers.Text;

namespace FastCgi.Protocol;

/// <summary>
/// The content of FCGI_GET_VALUES_RESULT (FastCGI 1.0, section 4.1): name-value pairs with decimal values.
/// </summary>
public readonly struct GetValuesResultBody
{
    /// <summary>The maximum number of bytes for <see cref="Write"/>: three pairs.</summary>
    public const int MaxSize = (3 * LengthsSize) + 14 + 13 + 15 + (2 * MaxDigits) + 1;

    /// <summary>The maximum number of bytes for <see cref="WriteRecord"/>.</summary>
    public const int MaxRecordSize = FastCgiConstants.HeaderSize + MaxSize;

    private const int LengthsSize = 2;
    private const int MaxDigits = 10;

    /// <summary>Creates a body with the values that are not null.</summary>
    public GetValuesResultBody(int? maxConnections, int? maxRequests, bool? multiplexConnections)
    {
        MaxConnections = maxConnections;
        MaxRequests = maxRequests;
        MultiplexConnections = multiplexConnections;
    }

    /// <summary>FCGI_MAX_CONNS, 0 or more; null if not included.</summary>
    public int? MaxConnections { get; }

    /// <summary>FCGI_MAX_REQS, 0 or more; null if not included.</summary>
    public int? MaxRequests { get; }

    /// <summary>FCGI_MPXS_CONNS; null if not included.</summary>
    public bool? MultiplexConnections { get; }

    /// <summary>A copy with only the values that were asked for.</summary>
    public GetValuesResultBody Only(ManagementVariables asked) => new(
        (asked & ManagementVariables.MaxConnections) != 0 ? MaxConnections : null,
        (asked & ManagementVariables.MaxRequests) != 0 ? MaxRequests : null,
        (asked & ManagementVariables.MultiplexConnections) != 0 ? MultiplexConnections : null);

    /// <summary>
    /// Reads the whole content of a record. Unknown names and values that are not decimal numbers are ignored. The last
    /// one of repeated names counts. False if the content ends inside a pair.
    /// </summary>
    public static bool TryRead(ReadOnlySpan<byte> content, out GetValuesResultBody body)
    {
        int? maxConnections = null;
        int? maxRequests = null;
        bool? multiplexConnections = null;
        var reader = new NameValuePairReader(content);
        while (reader.TryRead(out var pair))
        {
            int? value = TryReadNumber(pair.ValueIn(content), out var number) ? number : null;
            switch (ManagementVariableNames.Find(pair.NameIn(content)))
            {
                case ManagementVariables.MaxConnections:
                    maxConnections = value;
                    break;
                case ManagementVariables.MaxRequests:
                    maxRequests = value;
                    break;
                case ManagementVariables.MultiplexConnections:
                    multiplexConnections = ToFlag(value);
                    break;
            }
        }

        body = new GetValuesResultBody(maxConnections, maxRequests, multiplexConnections);
        return !reader.IsTruncated;
    }

    /// <summary>
    /// Writes the included pairs, perhaps none, and returns their size. <paramref name="destination"/> must have room
    /// for <see cref="MaxSize"/> bytes.
    /// </summary>
    /// <exception cref="ArgumentException">
    /// The destination is shorter than <see cref="MaxSize"/>, or a number is negative; nothing was written.
    /// </exception>
    public int Write(Span<byte> destination)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(MaxConnections ?? 0, nameof(MaxConnections));
        ArgumentOutOfRangeException.ThrowIfNegative(MaxRequests ?? 0, nameof(MaxRequests));
        destination = destination[..MaxSize];
        var written = WriteNumber(destination, ManagementVariableNames.MaxConnections, MaxConnections);
        written += WriteNumber(destination[written..], ManagementVariableNames.MaxRequests, MaxRequests);
        int? multiplexes = MultiplexConnections is { } value ? (value ? 1 : 0) : null;
        return written + WriteNumber(destination[written..], ManagementVariableNames.MultiplexConnections, multiplexes);
    }

    /// <summary>
    /// Writes the whole GET_VALUES_RESULT record and returns its size. <paramref name="destination"/> must have room
    /// for <see cref="MaxRecordSize"/> bytes.
    /// </summary>
    /// <exception cref="ArgumentException">
    /// The destination is shorter than <see cref="MaxRecordSize"/>, or a number is negative; nothing was written.
    /// </exception>
    public int WriteRecord(Span<byte> destination)
    {
        var contentLength = Write(destination[FastCgiConstants.HeaderSize..]);
        RecordWriter.WriteHeader(
            destination, RecordType.GetValuesResult, FastCgiConstants.NullRequestId, contentLength);
        return FastCgiConstants.HeaderSize + contentLength;
    }

    private static bool TryReadNumber(ReadOnlySpan<byte> value, out int number) =>
        Utf8Parser.TryParse(value, out number, out var consumed) && consumed == value.Length && number >= 0;

    private static bool? ToFlag(int? value) => value is { } number ? number != 0 : null;

    private static int WriteNumber(Span<byte> destination, ReadOnlySpan<byte> name, int? value)
    {
        if (value is not { } number)
        {
            return 0;
        }

        Span<byte> digits = stackalloc byte[MaxDigits];
        Utf8Formatter.TryFormat((uint)number, digits, out var digitCount);
        NameValuePairWriter.TryWrite(destination, name, digits[..digitCount], out var written);
        return written;
    }
}

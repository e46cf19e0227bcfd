namespace FastCgi.Protocol;

/// <summary>
/// The content of a record (FastCGI 1.0, section 8). Other values exist on the wire and mean an unknown type.
/// </summary>
public enum RecordType : byte
{
    /// <summary>No record has this type.</summary>
    None = 0,

    /// <summary>FCGI_BEGIN_REQUEST, from the peer: starts a request (section 5.1).</summary>
    BeginRequest = 1,

    /// <summary>FCGI_ABORT_REQUEST, from the peer: ends a request early (section 5.4).</summary>
    AbortRequest = 2,

    /// <summary>FCGI_END_REQUEST, to the peer: the last record of a request (section 5.5).</summary>
    EndRequest = 3,

    /// <summary>FCGI_PARAMS, from the peer: a stream of name-value pairs (section 5.2).</summary>
    Params = 4,

    /// <summary>FCGI_STDIN, from the peer: the request body, a stream (section 5.3).</summary>
    Stdin = 5,

    /// <summary>FCGI_STDOUT, to the peer: response head and body, a stream (section 5.3).</summary>
    Stdout = 6,

    /// <summary>FCGI_STDERR, to the peer: text for its error log, a stream (section 5.3).</summary>
    Stderr = 7,

    /// <summary>FCGI_DATA, from the peer: the second input stream of a filter (section 5.3).</summary>
    Data = 8,

    /// <summary>FCGI_GET_VALUES, a management record from the peer: asks for variables (section 4.1).</summary>
    GetValues = 9,

    /// <summary>FCGI_GET_VALUES_RESULT, a management record to the peer: the answer (section 4.1).</summary>
    GetValuesResult = 10,

    /// <summary>FCGI_UNKNOWN_TYPE, a management record to the peer: names an unknown type (section 4.2).</summary>
    UnknownType = 11,
}

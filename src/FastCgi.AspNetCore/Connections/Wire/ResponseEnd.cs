
namespace FastCgi.AspNetCore.Connections.Wire;

/// <summary>Which records follow the last byte of a response.</summary>
internal enum ResponseEnd
{
    /// <summary>None: an abort has ended the request already.</summary>
    None,

    /// <summary>The end of STDOUT alone: END_REQUEST waits for the end of the body.</summary>
    Stdout,

    /// <summary>The end of STDOUT and END_REQUEST.</summary>
    Request,

    /// <summary>END_REQUEST with one more record behind it, which tells nginx not to keep the connection.</summary>
    RequestAndConnection,
}

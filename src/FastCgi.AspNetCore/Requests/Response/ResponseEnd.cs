namespace FastCgi.AspNetCore.Requests.Response;

/// <summary>What follows the last byte of a response.</summary>
internal enum ResponseEnd
{
    /// <summary>The end of STDOUT alone: END_REQUEST waits for the end of the body.</summary>
    Stdout,

    /// <summary>The end of STDOUT and END_REQUEST.</summary>
    Request,

    /// <summary>END_REQUEST with something behind it, by which nginx knows that the connection is not to be kept.</summary>
    RequestAndConnection,
}

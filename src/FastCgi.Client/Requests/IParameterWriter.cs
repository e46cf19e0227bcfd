namespace FastCgi.Client.Requests;

/// <summary>Takes the parameters of a request one by one and puts them on the wire.</summary>
internal interface IParameterWriter
{
    /// <summary>Room in front of the request for what comes before its parameters.</summary>
    void Begin();

    void Add(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value);

    /// <summary>No parameter follows.</summary>
    void End();
}

namespace FastCgi.Client.Requests;

/// <summary>Writes the parameters of a request one by one.</summary>
internal interface IParameterWriter
{
    /// <summary>Reserves room before the first parameter.</summary>
    void Begin();

    void Add(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value);

    /// <summary>Ends the parameters.</summary>
    void End();
}

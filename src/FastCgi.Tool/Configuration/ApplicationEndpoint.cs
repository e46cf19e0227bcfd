namespace FastCgi.Tool.Configuration;

/// <summary>Where an application listens, and what it speaks there.</summary>
/// <param name="Address">As it is written.</param>
/// <param name="IsScgi">SCGI, which the settings can say without a scheme in the address.</param>
internal sealed record ApplicationEndpoint(FastCgiEndpoint Address, bool IsScgi)
{
    /// <summary>An address alone, whose scheme names the protocol.</summary>
    /// <exception cref="ToolException">The text names nothing to connect to.</exception>
    public static ApplicationEndpoint Parse(string text)
    {
        FastCgiEndpoint address = SharedOptions.ReadEndpoint(text);
        return new ApplicationEndpoint(address, address.Protocol == FastCgiEndpointProtocol.Scgi);
    }
}

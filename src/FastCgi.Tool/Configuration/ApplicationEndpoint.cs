namespace FastCgi.Tool.Configuration;

/// <summary>The endpoint of an application, and its protocol.</summary>
/// <param name="Address">The address as written.</param>
/// <param name="IsScgi">True for SCGI, which the settings can choose without a scheme in the address.</param>
internal sealed record ApplicationEndpoint(FastCgiEndpoint Address, bool IsScgi)
{
    /// <summary>Reads an address whose scheme determines the protocol.</summary>
    /// <exception cref="ToolException">The text is not an address to connect to.</exception>
    public static ApplicationEndpoint Parse(string text)
    {
        FastCgiEndpoint address = SharedOptions.ReadEndpoint(text);
        return new ApplicationEndpoint(address, address.Protocol == FastCgiEndpointProtocol.Scgi);
    }
}

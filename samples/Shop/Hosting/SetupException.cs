namespace ShopSample.Hosting;

/// <summary>A setting or the surroundings are wrong; the message tells the administrator what to change.</summary>
public sealed class SetupException : Exception
{
    public SetupException(string message)
        : base(message)
    {
    }

    public SetupException(string message, Exception cause)
        : base(message, cause)
    {
    }
}

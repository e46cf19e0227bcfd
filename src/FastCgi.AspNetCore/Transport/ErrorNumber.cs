namespace FastCgi.AspNetCore.Transport;

/// <summary>The values of errno on Linux. They are the same on every architecture that .NET supports.</summary>
internal static class ErrorNumber
{
    public const int Interrupted = 4;
    public const int WouldBlock = 11;
    public const int OutOfMemory = 12;
    public const int TooManyFilesInSystem = 23;
    public const int TooManyFiles = 24;
    public const int NoSpace = 28;
    public const int ConnectionAborted = 103;
    public const int OutOfBuffers = 105;
}

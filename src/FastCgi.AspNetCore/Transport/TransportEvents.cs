namespace FastCgi.AspNetCore.Transport;

/// <summary>Event ids of the transport and its listeners: the block from 200.</summary>
internal static class TransportEvents
{
    public const int HandlerFailed = 200;
    public const int WorkerFailed = 201;
    public const int RegistrationFailed = 202;
    public const int WorkersAdded = 203;
    public const int AcceptPaused = 210;
    public const int AcceptResumed = 211;
    public const int AcceptFailed = 212;
    public const int StaleSocketRemoved = 213;
    public const int SocketFileKept = 214;
}

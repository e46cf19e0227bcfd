namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>All event ids of the server. Ids below 100 are Kestrel's ids for the same events.</summary>
internal static class LogEvents
{
    public const int ConnectionStart = 1;
    public const int ConnectionStop = 2;
    public const int ApplicationError = 13;
    public const int NotAllConnectionsClosedGracefully = 16;
    public const int BadRequest = 17;
    public const int HeadBodyIgnored = 18;
    public const int NotAllConnectionsAborted = 21;
    public const int ConnectionRejected = 24;
    public const int RequestBodyStart = 25;
    public const int ResponseMinimumDataRateNotSatisfied = 28;
    public const int RequestBodyNotEntirelyRead = 32;
    public const int ApplicationAbortedConnection = 34;
    public const int ResponseHeadersDropped = 41;
    public const int RequestAborted = 66;

    // 100: the server and its endpoints.
    public const int AddressNotBound = 100;
    public const int AddressesOverridden = 101;
    public const int ClientRefused = 102;
    public const int InvalidWebServerAddresses = 103;
    public const int UnknownConfigurationKey = 104;
    public const int EndpointsOverridden = 105;
    public const int AddressUnavailable = 106;
    public const int KestrelSettingsTaken = 107;
    public const int KestrelEndpointsIgnored = 108;
    public const int KestrelConfigurationFailed = 109;
    public const int StatusListening = 110;
    public const int StatusForNobody = 111;
    public const int StatusHidesRoute = 113;
    public const int Exit = 114;
    public const int ExitNotPossible = 115;
    public const int WatchdogNotFed = 116;
    public const int WatchdogFailed = 117;
    public const int WatchdogWithoutNotification = 118;
    public const int Reloaded = 119;
    public const int ReloadFailed = 120;
    public const int InheritedEndpointKept = 121;
    public const int EndpointsChanged = 122;
    public const int WatchdogOutOfReach = 123;
    public const int SocketNotTaken = 124;
    public const int KestrelSettingsIgnored = 129;
    public const int TemporaryFolderUnusable = 130;

    // 200: connections.
    public const int ProtocolViolation = 200;
    public const int RequestRefused = 201;
    public const int PeerAborted = 202;
    public const int ResponseTorn = 203;
    public const int ConnectionAborted = 204;
    public const int TokenCallbackFailed = 205;
    public const int PeerDoesNotRead = 206;
    public const int SendTimedOut = 207;
    public const int AbortedByStop = 208;
    public const int ForeignProtocol = 209;
    public const int HeartbeatFailed = 210;
    public const int ConnectionFailed = 211;
    public const int ContinuationFailed = 212;
    public const int SlowRequest = 213;
    public const int RequestTimedOut = 214;

    // 300: requests.
    public const int ServerError = 300;
    public const int RequestRejected = 301;
    public const int ConnectionUpgraded = 302;
    public const int ParamsMissing = 310;
    public const int LargeResponseHead = 311;
    public const int HostWithoutPort = 312;
    public const int CutBody = 313;
    public const int ClientCertificateDamaged = 314;
    public const int ForwardingHeaderIgnored = 315;
    public const int UploadHoldFailed = 316;
    public const int NativeGrpcRefused = 317;
    public const int PhpLeftovers = 318;
    public const int RemoteAddressUnreadable = 319;
    public const int FileHandedOver = 320;
    public const int FileNotHandedOver = 321;
    public const int HeadersOfFileLost = 322;
    public const int BodyNotSpilled = 330;

    // 400: the transport.
    public const int HandlerFailed = 400;
    public const int WorkerFailed = 401;
    public const int RegistrationFailed = 402;
    public const int WorkersAdded = 403;
    public const int WorkersLacking = 404;
    public const int WorkersAtLimit = 405;
    public const int AcceptPaused = 410;
    public const int AcceptResumed = 411;
    public const int AcceptFailed = 412;
    public const int StaleSocketRemoved = 413;
    public const int SocketFileKept = 414;
    public const int SocketNotLocked = 415;

    // 500: users that the web server has verified.
    public const int UserRefused = 500;
}

/// <summary>The categories of the server's logs. A filter for <c>FastCgi.AspNetCore</c> applies to all.</summary>
internal static class LogCategories
{
    public const string Server = "FastCgi.AspNetCore.Server";
    public const string Connections = "FastCgi.AspNetCore.Connections";
    public const string Requests = "FastCgi.AspNetCore.Requests";

    /// <summary>Invalid bytes from peers and browsers.</summary>
    public const string BadRequests = "FastCgi.AspNetCore.BadRequests";

    /// <summary>Requests that run longer than SlowRequestAfter, for a separate log.</summary>
    public const string SlowRequests = "FastCgi.AspNetCore.SlowRequests";

    public const string Transport = "FastCgi.AspNetCore.Transport";
}

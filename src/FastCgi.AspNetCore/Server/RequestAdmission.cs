namespace FastCgi.AspNetCore.Server;

/// <summary>What a request that begins may become.</summary>
internal enum RequestAdmission
{
    /// <summary>A request of the application.</summary>
    Application,

    /// <summary>One for a page of the server; any other is refused when its params have come.</summary>
    PagesOnly,

    /// <summary>Refused at once.</summary>
    Refused,
}

namespace FastCgi.AspNetCore.Authentication;

/// <summary>Why a name in the params signs nobody in.</summary>
internal enum UserRefusal
{
    None,

    /// <summary>The web server fills in what the client typed.</summary>
    Unverified,

    /// <summary>There is no AUTH_TYPE.</summary>
    AuthTypeMissing,

    /// <summary>AUTH_TYPE is not one of those that count.</summary>
    AuthTypeUnlisted,

    /// <summary>The name is no UTF-8, or has control characters.</summary>
    NotText,
}

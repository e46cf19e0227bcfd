namespace CrudApiSample.Catalogues;

/// <summary>What may be done with the records of a table.</summary>
[Flags]
public enum Operations
{
    None = 0,

    /// <summary>GET and HEAD.</summary>
    Read = 1,

    /// <summary>POST.</summary>
    Create = 2,

    /// <summary>PUT and PATCH.</summary>
    Update = 4,

    /// <summary>DELETE.</summary>
    Delete = 8,

    All = Read | Create | Update | Delete,
}
